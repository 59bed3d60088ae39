/* options.h: one table-driven parser for the options of every verb.
 *
 * A verb lists its options in a table; the parser fills the targets, and words help and errors from
 * the same table. Both --name=value and --name value are understood; "--" ends the options. */
#ifndef TL_OPTIONS_H
#define TL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tl_option_kind {
  TL_OPTION_FLAG,    /* int: set to 1 */
  TL_OPTION_TEXT,    /* const char *: must not be empty */
  TL_OPTION_INTEGER, /* int64_t in [low, high] */
  TL_OPTION_REAL,    /* double in [low, high]; above low if open */
  TL_OPTION_TIME,    /* the same in s; the text may have a unit: 5ms, 2 min */
  TL_OPTION_CHOICE,  /* int: index of the word in choices */
  TL_OPTION_TEXTS    /* tl_option_texts: may be given several times */
} tl_option_kind;

typedef struct tl_option_texts {
  const char *text[64];
  int count;
} tl_option_texts;

typedef struct tl_option {
  const char *name; /* without dashes; NULL ends the table */
  tl_option_kind kind;
  void *target;      /* holds the default before parsing */
  const char *value; /* how help calls the value; CHOICE: the words, separated by | */
  const char *help;  /* one line; the default is part of it */
  double low, high;  /* INTEGER, REAL */
  int open;          /* REAL: low itself is refused */
} tl_option;

typedef struct tl_command {
  const char *name;       /* "solve" */
  const char *summary;    /* one line */
  const char *positional; /* names of the compulsory arguments, separated by blanks: "FILE"; a last
                             one in brackets, "[FILE...]", takes any number */
  const char *notes;      /* printed below the options, or NULL */
  const tl_option *options;
  const char **arguments; /* receives the positional arguments, as many as there are names; with
                             brackets up to argc of them */
} tl_command;

typedef enum tl_parsed { TL_PARSED_OK, TL_PARSED_HELP, TL_PARSED_BAD } tl_parsed;

/* Reads a time, in s or with a unit. Whether the whole text was one. */
bool tl_option_time(const char *text, double *seconds);
/* HELP: --help was asked for and has been printed to stdout. BAD: a complaint is on stderr. */
tl_parsed tl_options_parse(const tl_command *command, int argc, char **argv);

#endif
