/* test_picture.c: force chains as a PNG: the file is one, of the width asked for and not blank; bad
 * arguments are refused and leave no file behind. */
#include <string.h>

#include "talus/talus_io.h"
#include "tests/check.h"

#define PICTURE "test_picture.png"

static int32_t big_endian(const unsigned char *byte) {
  return (int32_t)((uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 |
                   byte[3]);
}

static int file_exists(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file != NULL) {
    fclose(file);
  }
  return file != NULL;
}

/* Signature, then the header chunk with width and height; and more bytes than white would take. */
static void check_png(const char *path, int32_t width) {
  static const unsigned char signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
  unsigned char head[24] = {0};
  FILE *file = fopen(path, "rb");
  if (!CHECK(file != NULL)) {
    return;
  }
  CHECK(fread(head, 1, sizeof head, file) == sizeof head);
  CHECK(memcmp(head, signature, sizeof signature) == 0);
  CHECK(memcmp(head + 12, "IHDR", 4) == 0);
  CHECK(big_endian(head + 16) == width);
  CHECK(big_endian(head + 20) > width / 2 && big_endian(head + 20) < 2 * width);
  fseek(file, 0, SEEK_END);
  CHECK(ftell(file) > 20000);
  fclose(file);
}

static void check_refusals(talus_context *context, talus_stored *stored, double *impulse) {
  const int32_t last = 3 * stored->problem.contact_count - 1;
  double *position = stored->position;
  CHECK(talus_force_chains_draw(context, "no/such/folder/x.png", stored, impulse, 400) ==
        TALUS_FILE_WRITE);
  CHECK(strstr(talus_context_message(context), "no/such/folder/x.png") != NULL);
  CHECK(talus_force_chains_draw(context, PICTURE, stored, impulse, 0) == TALUS_BAD_SETTING);
  CHECK(strstr(talus_context_message(context), "width") != NULL);
  CHECK(talus_force_chains_draw(context, PICTURE, stored, impulse, 100000) == TALUS_BAD_SETTING);
  CHECK(talus_force_chains_draw(context, PICTURE, stored, NULL, 400) == TALUS_INVALID_ARGUMENT);
  impulse[last] = NAN;
  CHECK(talus_force_chains_draw(context, PICTURE, stored, impulse, 400) == TALUS_NOT_FINITE);
  impulse[last] = 0.0;
  stored->position = NULL;
  CHECK(talus_force_chains_draw(context, PICTURE, stored, impulse, 400) == TALUS_UNSUPPORTED);
  stored->position = position;
  CHECK(!file_exists(PICTURE));
}

int main(void) {
  talus_context *context = NULL;
  talus_stored *stored = NULL;
  talus_generate_def def = talus_generate_def_default(TALUS_GENERATE_HEAP);
  def.body_count = 400;
  remove(PICTURE);
  if (!CHECK(talus_context_create(NULL, &context) == TALUS_OK) ||
      !CHECK(talus_problem_generate(context, &def, &stored) == TALUS_OK)) {
    return check_end();
  }
  const int32_t count = stored->problem.contact_count;
  double *impulse = calloc(3 * (size_t)count, sizeof *impulse);
  /* impulses along the normals, growing with the depth */
  for (int32_t k = 0; k < count; k++) {
    const int32_t b = stored->problem.rigid.body_b[k];
    for (int i = 0; i < 3; i++) {
      impulse[3 * k + i] =
          stored->problem.rigid.normal[3 * k + i] * (2.0 - stored->position[3 * b + 2]);
    }
  }
  const talus_status status = talus_force_chains_draw(context, PICTURE, stored, impulse, 400);
  if (status == TALUS_UNSUPPORTED) {
    printf("skipped: built without libpng\n");
  } else {
    CHECK_CASE(status == TALUS_OK, "%s", talus_context_message(context));
    check_png(PICTURE, 400);
    remove(PICTURE);
    check_refusals(context, stored, impulse);
    /* nothing to show: no impulse at all */
    memset(impulse, 0, 3 * (size_t)count * sizeof *impulse);
    CHECK(talus_force_chains_draw(context, PICTURE, stored, impulse, 400) == TALUS_OK);
    check_png(PICTURE, 400);
    remove(PICTURE);
  }
  free(impulse);
  talus_stored_destroy(stored);
  talus_context_destroy(context);
  return status == TALUS_UNSUPPORTED ? CHECK_SKIPPED : check_end();
}
