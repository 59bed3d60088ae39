/* schema.h: what a scene file may say, as tables.
 *
 * One table per section. Parser, complaints, `talus scene check` and the reference page are all
 * made from these rows, so that none of them can say what the others do not. A row knows where in
 * the section's struct (definition.h) its value goes. */
#ifndef TL_SCENE_SCHEMA_H
#define TL_SCENE_SCHEMA_H

#include "host/scene/definition.h"
#include "host/scene/units.h"

typedef enum tl_key_type {
  TL_KEY_REAL,    /* double */
  TL_KEY_INTEGER, /* int64_t */
  TL_KEY_BOOLEAN, /* int32_t */
  TL_KEY_TEXT,    /* const char *, NULL if not given */
  TL_KEY_TEXTS,   /* tl_texts: one word or a list */
  TL_KEY_CHOICE,  /* int32_t: index of the word */
  TL_KEY_SET,     /* uint32_t: bits of the words; one word or a list */
  TL_KEY_GROUPS,  /* uint32_t: bits of the numbers 0 .. 31; `all` */
  TL_KEY_PAIR,    /* double[2] */
  TL_KEY_VECTOR,  /* double[3]; in a plane world two numbers are x and z */
  TL_KEY_TURN,    /* double[4]: a quaternion [w, x, y, z] or {axis, angle} */
  TL_KEY_REALS,   /* tl_numbers */
  TL_KEY_PAIRS,   /* tl_numbers, 2 per item */
  TL_KEY_VECTORS, /* tl_numbers, 3 per item */
  TL_KEY_NODE,    /* const tl_node *: whatever stands there */
  TL_KEY_SECTION, /* a struct by table */
  TL_KEY_LIST,    /* tl_list of structs by table */
  TL_KEY_MAP,     /* tl_list of structs by table; the keys are the items' names */
  TL_KEY_INCLUDE  /* the rows of another table, in a struct inside this one */
} tl_key_type;

typedef struct tl_section tl_section;

typedef struct tl_key {
  const char *name;
  tl_key_type type;
  size_t offset;
  tl_quantity quantity;    /* REAL, PAIR, VECTOR, REALS, PAIRS, VECTORS */
  const char *initial;     /* default in SI, as it would be written; "": may be left out; NULL: must
                              be given */
  double low, high;        /* numbers, in SI; both 0: any */
  int32_t open;            /* low itself is refused */
  uint32_t kinds;          /* bits of the table's selector for which the key is there; 0: all */
  const char *words;       /* CHOICE, SET: separated by | */
  const tl_section *table; /* SECTION, LIST, MAP, INCLUDE */
  const char *note;        /* what it means, one sentence */
} tl_key;

struct tl_section {
  const char *title;    /* in the reference page */
  const char *note;     /* paragraph below the title, or NULL */
  const char *selector; /* the CHOICE that decides which keys there are, or NULL */
  const tl_key *key;
  int32_t count; /* at most 64 */
  size_t size;   /* of the struct */
};

extern const tl_section tl_schema_root;

/* Tables of the sections, each in the file that says so in its head. */
extern const tl_section tl_schema_units, tl_schema_world, tl_schema_material, tl_schema_pair,
    tl_schema_cell, tl_schema_output, tl_schema_run; /* schema_world.c */
extern const tl_section tl_schema_shape, tl_schema_part, tl_schema_motion, tl_schema_servo,
    tl_schema_body, tl_schema_joint, tl_schema_force; /* schema_bodies.c */
extern const tl_section tl_schema_wall;               /* schema_walls.c */
extern const tl_section tl_schema_region, tl_schema_sizes, tl_schema_layer, tl_schema_grains,
    tl_schema_inlet, tl_schema_outlet; /* schema_grains.c */
extern const tl_section tl_schema_mechanism, tl_schema_link, tl_schema_loop,
    tl_schema_drive;                                          /* schema_mechanisms.c */
extern const tl_section tl_schema_measure;                    /* schema_measure.c */
extern const tl_section tl_schema_stage, tl_schema_condition; /* schema_stages.c */
extern const tl_section tl_schema_bonds;                      /* schema_bonds.c */

/* Whether a row is there for the kind chosen by the selector. */
bool tl_key_belongs(const tl_key *key, int32_t kind);

/* Fills the struct of the table from a map node (NULL: defaults alone); where: its path for
 * messages, "" for the root. Statuses: FILE_FORMAT (file:line:column: ...), OUT_OF_MEMORY. */
typedef struct tl_parse {
  talus_context *context;
  tl_arena *arena;
  double base[TL_BASE_COUNT]; /* what bare numbers are in */
  int32_t plane;              /* two numbers make a vector x z */
} tl_parse;
talus_status tl_parse_table(tl_parse *parse, const tl_section *table, const tl_node *node,
                            const char *where, void *target);
/* One value of a key; node must not be NULL. */
talus_status tl_parse_value(tl_parse *parse, const tl_key *key, const tl_node *node,
                            const char *where, void *target);

/* The reference in Markdown, made from the tables. text is to be given back by tl_free. */
talus_status tl_schema_reference(talus_context *context, char **text);

#endif
