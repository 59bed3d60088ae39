/* options.c: parses the options of a verb from its table, and words help and complaints.
 *
 * Numbers are read strictly: the whole text must be one finite number within its range. */
#include "host/cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/words.h"
#include "host/cli/cli.h"
#include "host/cli/ranks.h"

enum { WORD_LENGTH = 64, LEFT = 26, LINE = 96 };

static void print_usage(FILE *out, const tl_command *command) {
  fprintf(out, "usage: talus %s", command->name);
  if (command->positional[0] != '\0') {
    fprintf(out, " %s", command->positional);
  }
  fprintf(out, " [options]\n");
}

/* A long list of words gets lines of its own, broken behind the bars. */
static void print_left(const tl_option *option) {
  const char *value = option->kind == TL_OPTION_FLAG ? "" : option->value;
  const int margin = (int)strlen(option->name) + 5; /* two blanks, two dashes, a blank */
  const int length = (int)strlen(value);
  printf("  --%s%s", option->name, value[0] != '\0' ? " " : "");
  if (margin + length <= LEFT + 2) {
    printf("%s%*s", value, LEFT + 2 - margin - length + (value[0] == '\0'), "");
    return;
  }
  int column = margin;
  while (value[0] != '\0') {
    const char *bar = strchr(value, '|');
    const int word = bar != NULL ? (int)(bar - value) + 1 : (int)strlen(value);
    if (column + word > LINE) {
      printf("\n%*s", margin, "");
      column = margin;
    }
    printf("%.*s", word, value);
    column += word;
    value += word;
  }
  printf("\n  %*s", LEFT, "");
}

static void print_help(const tl_command *command) {
  if (!tl_cli_ranks_speaks()) {
    return;
  }
  print_usage(stdout, command);
  printf("\n%s\n\noptions:\n", command->summary);
  for (const tl_option *option = command->options; option->name != NULL; option++) {
    print_left(option);
    printf("  %s\n", option->help);
  }
  printf("  %-*s  this text\n", LEFT, "--help");
  if (command->notes != NULL) {
    printf("\n%s", command->notes);
  }
}

/* Complains, shows the usage line, and says where to read more. */
static tl_parsed refuse(const tl_command *command) {
  if (tl_cli_ranks_speaks()) {
    print_usage(stderr, command);
    fprintf(stderr, "`talus %s --help` lists the options\n", command->name);
  }
  return TL_PARSED_BAD;
}

bool tl_option_time(const char *text, double *seconds) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"h", 3600}};
  char *end;
  const double value = strtod(text, &end);
  const char *const unit = end + strspn(end, " ");
  for (size_t i = 0; i < sizeof units / sizeof *units && end != text; i++) {
    if (strcmp(unit, units[i].name) == 0) {
      *seconds = units[i].seconds >= 1 ? value * units[i].seconds
                                       : value / round(1 / units[i].seconds); /* rounded once */
      return true;
    }
  }
  return false;
}

static bool read_real(const tl_option *option, const char *text) {
  char *end = NULL;
  double value = 0;
  errno = 0;
  bool whole = !isspace((unsigned char)text[0]);
  if (option->kind == TL_OPTION_TIME) {
    whole = whole && tl_option_time(text, &value);
  } else {
    value = strtod(text, &end);
    whole = whole && end != text && *end == '\0';
  }
  /* Underflow to a denormal sets ERANGE too; only overflow is an error. */
  if (!whole || !isfinite(value) || value < option->low || value > option->high ||
      (option->open && value == option->low)) {
    return false;
  }
  *(double *)option->target = value;
  return true;
}

/* 1e6 is a whole number too. */
static bool read_integer(const tl_option *option, const char *text) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (*end == 'e' || *end == 'E' || *end == '.') {
    const double real = strtod(text, &end);
    value = fabs(real) <= 1e15 ? (long long)real : -1;
    if ((double)value != real) {
      return false;
    }
  }
  if (end == text || *end != '\0' || isspace((unsigned char)text[0]) || errno == ERANGE ||
      (double)value < option->low || (double)value > option->high) {
    return false;
  }
  *(int64_t *)option->target = value;
  return true;
}

static bool read_choice(const tl_option *option, const char *text) {
  char word[WORD_LENGTH];
  const char *words = option->value;
  for (int index = 0; (words = tl_words_next(words, '|', word, sizeof word)) != NULL; index++) {
    if (strcmp(word, text) == 0) {
      *(int *)option->target = index;
      return true;
    }
  }
  return false;
}

/* What the option wants, for the complaint. */
static void expected(const tl_option *option, const char *text, char *words, size_t capacity) {
  char near[WORD_LENGTH];
  switch (option->kind) {
  case TL_OPTION_INTEGER:
    snprintf(words, capacity, "a whole number from %.0f to %.0f", option->low, option->high);
    break;
  case TL_OPTION_TIME:
    snprintf(words, capacity, "a time %s 0, in s or with a unit (5ms)",
             option->open ? "above" : "of at least");
    break;
  case TL_OPTION_REAL:
    if (option->high >= 1e300) {
      snprintf(words, capacity, "a number %s %g", option->open ? "above" : "of at least",
               option->low);
    } else {
      snprintf(words, capacity, "a number %s %g and at most %g",
               option->open ? "above" : "of at least", option->low, option->high);
    }
    break;
  case TL_OPTION_CHOICE:
    if (tl_words_nearest(text, option->value, near, sizeof near) != NULL) {
      snprintf(words, capacity, "one of %s (did you mean %s?)", option->value, near);
    } else {
      snprintf(words, capacity, "one of %s", option->value);
    }
    break;
  default:
    snprintf(words, capacity, "a text that is not empty");
  }
}

static tl_parsed take_value(const tl_command *command, const tl_option *option, const char *text) {
  int good = 0;
  switch (option->kind) {
  case TL_OPTION_TEXT:
    good = text[0] != '\0';
    if (good) {
      *(const char **)option->target = text;
    }
    break;
  case TL_OPTION_INTEGER:
    good = read_integer(option, text);
    break;
  case TL_OPTION_REAL:
  case TL_OPTION_TIME:
    good = read_real(option, text);
    break;
  case TL_OPTION_CHOICE:
    good = read_choice(option, text);
    break;
  case TL_OPTION_TEXTS: {
    tl_option_texts *texts = option->target;
    good = text[0] != '\0' && texts->count < (int)(sizeof texts->text / sizeof texts->text[0]);
    if (good) {
      texts->text[texts->count++] = text;
    }
    break;
  }
  case TL_OPTION_FLAG:
    break;
  }
  if (!good) {
    char words[320];
    expected(option, text, words, sizeof words);
    tl_cli_fail("--%s wants %s, not '%s'", option->name, words, text);
    return refuse(command);
  }
  return TL_PARSED_OK;
}

static const tl_option *find_option(const tl_command *command, const char *name, size_t length) {
  for (const tl_option *option = command->options; option->name != NULL; option++) {
    if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) {
      return option;
    }
  }
  return NULL;
}

static tl_parsed unknown_option(const tl_command *command, const char *name, size_t length) {
  char typed[WORD_LENGTH], words[512] = "help", near[WORD_LENGTH];
  snprintf(typed, sizeof typed, "%.*s", (int)length, name);
  for (const tl_option *option = command->options; option->name != NULL; option++) {
    const size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "|%s", option->name);
  }
  if (tl_words_nearest(typed, words, near, sizeof near) != NULL) {
    tl_cli_fail("talus %s has no option --%s; did you mean --%s?", command->name, typed, near);
  } else {
    tl_cli_fail("talus %s has no option --%s", command->name, typed);
  }
  return refuse(command);
}

/* argv[*position] starts with two dashes; moves on if the value is the next argument. */
static tl_parsed take_option(const tl_command *command, int argc, char **argv, int *position) {
  const char *name = argv[*position] + 2;
  const char *equals = strchr(name, '=');
  const size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
  const tl_option *option = find_option(command, name, length);
  if (option == NULL) {
    return unknown_option(command, name, length);
  }
  if (option->kind == TL_OPTION_FLAG) {
    if (equals != NULL) {
      tl_cli_fail("--%s takes no value", option->name);
      return refuse(command);
    }
    *(int *)option->target = 1;
    return TL_PARSED_OK;
  }
  if (equals != NULL) {
    return take_value(command, option, equals + 1);
  }
  if (*position + 1 >= argc || strncmp(argv[*position + 1], "--", 2) == 0) {
    tl_cli_fail("--%s wants a value: --%s %s", option->name, option->name, option->value);
    return refuse(command);
  }
  return take_value(command, option, argv[++*position]);
}

/* Asking for help wins over every other argument, right or wrong. */
static bool help_wanted(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      return true;
    }
  }
  return false;
}

/* Whether what is left of the names is one in brackets, which takes any number of arguments. */
static bool takes_rest(const char *names) {
  return names != NULL && names[0] == '[';
}

tl_parsed tl_options_parse(const tl_command *command, int argc, char **argv) {
  if (help_wanted(argc, argv)) {
    print_help(command);
    return TL_PARSED_HELP;
  }
  const char *names = command->positional;
  char name[WORD_LENGTH];
  int count = 0, options_end = 0;
  for (int i = 1; i < argc; i++) {
    if (!options_end && strcmp(argv[i], "--") == 0) {
      options_end = 1;
    } else if (!options_end && argv[i][0] == '-' && argv[i][1] == '-') {
      const tl_parsed parsed = take_option(command, argc, argv, &i);
      if (parsed != TL_PARSED_OK) {
        return parsed;
      }
    } else if (!options_end && argv[i][0] == '-') {
      tl_cli_fail("unknown option '%s': options start with two dashes", argv[i]);
      return refuse(command);
    } else if (!takes_rest(names) &&
               (names = tl_words_next(names, ' ', name, sizeof name)) == NULL) {
      tl_cli_fail("unexpected argument '%s'", argv[i]);
      return refuse(command);
    } else {
      command->arguments[count++] = argv[i];
    }
  }
  if (!takes_rest(names) && tl_words_next(names, ' ', name, sizeof name) != NULL) {
    tl_cli_fail("%s is missing", name);
    return refuse(command);
  }
  return TL_PARSED_OK;
}
