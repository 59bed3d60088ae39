/* siconos_read.c: reads a problem in Siconos' text format.
 *
 * Local and global files carry no tag. A first matrix of dimension * contacts rows may be W; if
 * what follows does not end exactly with the file, the same matrix is tried as M. When both
 * readings fail, the message of the one that got further is kept: it is the likelier one. */
#include <string.h>

#include "host/io/siconos_text.h"

typedef struct problem_reader {
  tl_text text;
  talus_stored *stored;
  talus_stored *scratch;
} problem_reader;

static talus_status read_vector(problem_reader *reader, const char *name, int64_t count,
                                const double **vector) {
  TL_TRY(tl_text_room(&reader->text, count, name));
  void *memory;
  TL_TRY(tl_stored_alloc(reader->stored, &memory, (size_t)count, sizeof(double), name));
  *vector = memory;
  return tl_text_numbers(&reader->text, name, count, memory);
}

/* What Talus adds behind the friction coefficients. */
static talus_status read_compliance(problem_reader *reader) {
  talus_problem *const problem = &reader->stored->problem;
  const int64_t contacts = problem->contact_count;
  problem->compliance = problem->target_impulse = NULL;
  if (tl_text_at_end(&reader->text) || *reader->text.cursor != 't') {
    return TALUS_OK;
  }
  TL_TRY(tl_text_word(&reader->text, "talus-compliance"));
  TL_TRY(read_vector(reader, "compliance", 2 * contacts, &problem->compliance));
  if (tl_text_at_end(&reader->text)) {
    return TALUS_OK;
  }
  TL_TRY(tl_text_word(&reader->text, "talus-target"));
  return read_vector(reader, "target", problem->dimension * contacts, &problem->target_impulse);
}

static talus_status expect_end(problem_reader *reader) {
  int64_t flag;
  TL_TRY(read_compliance(reader));
  if (!tl_text_at_end(&reader->text)) {
    TL_TRY(tl_text_integer(&reader->text, "flag after the end", 0, 1, &flag));
  }
  return tl_text_at_end(&reader->text)
             ? TALUS_OK
             : tl_text_fail(&reader->text, "the file goes on after the friction coefficients");
}

static talus_status read_local(problem_reader *reader, const talus_matrix *w) {
  talus_problem *problem = &reader->stored->problem;
  problem->form = TALUS_FORM_DELASSUS;
  problem->delassus.w = *w;
  TL_TRY(read_vector(reader, "q", w->rows, &problem->delassus.q));
  TL_TRY(read_vector(reader, "mu", problem->contact_count, &problem->friction));
  return expect_end(reader);
}

static talus_status read_global(problem_reader *reader, const talus_matrix *mass) {
  talus_problem *problem = &reader->stored->problem;
  talus_global *global = &problem->global;
  const int64_t rows = (int64_t)problem->dimension * problem->contact_count;
  if (mass->rows != mass->columns) {
    return tl_text_fail(&reader->text, "the first matrix is not square: %d x %d", mass->rows,
                        mass->columns);
  }
  problem->form = TALUS_FORM_GLOBAL;
  global->mass = *mass;
  TL_TRY(tl_siconos_read_matrix(&reader->text, reader->stored, reader->scratch, "H", &global->h));
  if (global->h.rows != mass->rows || global->h.columns != rows) {
    return tl_text_fail(&reader->text, "H is %d x %d, should be %d x %lld", global->h.rows,
                        global->h.columns, mass->rows, (long long)rows);
  }
  TL_TRY(read_vector(reader, "q", mass->rows, &global->f));
  TL_TRY(read_vector(reader, "b", rows, &global->w));
  TL_TRY(read_vector(reader, "mu", problem->contact_count, &problem->friction));
  return expect_end(reader);
}

/* The first matrix may be W or M. */
static talus_status read_either(problem_reader *reader, const talus_matrix *first) {
  talus_context *context = reader->text.context;
  const char *cursor = reader->text.cursor;
  const int64_t line = reader->text.line;
  const talus_status local = read_local(reader, first);
  if (local != TALUS_FILE_FORMAT) {
    return local;
  }
  const char *local_reach = reader->text.cursor;
  char local_message[sizeof context->message];
  memcpy(local_message, context->message, sizeof local_message);
  tl_text_rewind(&reader->text, cursor, line);
  const talus_status global = read_global(reader, first);
  if (global == TALUS_FILE_FORMAT && reader->text.cursor <= local_reach) {
    memcpy(context->message, local_message, sizeof local_message);
  }
  return global;
}

static talus_status read_problem(problem_reader *reader) {
  tl_text *text = &reader->text;
  talus_problem *problem = &reader->stored->problem;
  int64_t dimension, contacts;
  TL_TRY(tl_text_integer(text, "dimension", 1, 3, &dimension));
  TL_TRY(tl_text_integer(text, "number of contacts", 0, INT32_MAX / dimension, &contacts));
  TL_TRY(tl_text_room(text, contacts, "contacts"));
  problem->dimension = (int32_t)dimension;
  problem->contact_count = (int32_t)contacts;
  problem->bilateral_count = 0;
  talus_matrix first;
  TL_TRY(tl_siconos_read_matrix(text, reader->stored, reader->scratch, "W or M", &first));
  const int64_t rows = dimension * contacts;
  return first.rows == rows && first.columns == rows ? read_either(reader, &first)
                                                     : read_global(reader, &first);
}

talus_status tl_siconos_read(talus_stored *stored, const char *path) {
  talus_context *context = tl_stored_context(stored);
  problem_reader reader = {.stored = stored};
  TL_TRY(tl_stored_create(context, &reader.scratch));
  talus_status status = tl_text_open(context, path, &reader.text);
  if (status == TALUS_OK) {
    status = read_problem(&reader);
  }
  tl_text_close(&reader.text);
  talus_stored_destroy(reader.scratch);
  return status;
}
