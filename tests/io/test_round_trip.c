/* test_round_trip.c: what is written and read again is the same problem: the same u = W r + q for
 * random r, for every form and storage, in FCLIB's and in Siconos' format. */
#include <string.h>

#include "host/io/contact_frame.h"
#include "problems.h"
#include "tests/check.h"

static talus_context *context;
static sample made;

static const talus_storage storages[] = {TALUS_STORAGE_DENSE, TALUS_STORAGE_CSC, TALUS_STORAGE_CSR,
                                         TALUS_STORAGE_TRIPLET};

static int have_hdf5(void) {
  sample_delassus(&made, TALUS_STORAGE_DENSE, 3, 1, 0);
  return talus_problem_write(context, "probe.hdf5", &made.problem, NULL) != TALUS_UNSUPPORTED;
}

/* Impulses of `made` in its own frame, and as the file has them. */
static void make_impulses(double *own, double *in_file, double *bilateral) {
  uint64_t state = 11;
  for (int i = 0; i < ROWS_MAX; i++) {
    own[i] = sample_random(&state);
    bilateral[i] = sample_random(&state);
  }
  memcpy(in_file, own, ROWS_MAX * sizeof(double));
  if (made.problem.form == TALUS_FORM_RIGID) {
    tl_impulses_to_contact(&made.problem, own, in_file);
  }
}

static void compare(const char *path, const talus_stored *stored, talus_form form) {
  double own[ROWS_MAX], in_file[ROWS_MAX], bilateral[ROWS_MAX];
  double before[ROWS_MAX], after[ROWS_MAX], row_before[ROWS_MAX], row_after[ROWS_MAX];
  const talus_problem *was = &made.problem, *is = &stored->problem;
  CHECK_CASE(is->form == form && is->dimension == was->dimension &&
                 is->contact_count == was->contact_count &&
                 is->bilateral_count == was->bilateral_count,
             "%s", path);
  if (is->contact_count != was->contact_count || is->bilateral_count != was->bilateral_count) {
    return;
  }
  make_impulses(own, in_file, bilateral);
  sample_evaluate(was, own, bilateral, before, row_before);
  sample_evaluate(is, in_file, bilateral, after, row_after);
  if (was->form == TALUS_FORM_RIGID) {
    tl_impulses_to_contact(was, before, before);
  }
  double worst = 0, size = 1;
  for (int i = 0; i < was->dimension * was->contact_count; i++) {
    worst = fmax(worst, fabs(before[i] - after[i]));
    size = fmax(size, fabs(before[i]));
  }
  for (int i = 0; i < was->bilateral_count; i++) {
    worst = fmax(worst, fabs(row_before[i] - row_after[i]));
    size = fmax(size, fabs(row_before[i]));
  }
  CHECK_CASE(worst <= 1e-14 * size, "%s: u differs by %g of %g", path, worst, size);
  for (int i = 0; i < was->contact_count; i++) {
    CHECK(is->friction[i] == (was->friction != NULL ? was->friction[i] : 0));
  }
}

static void round_trip(const char *path, talus_form form) {
  talus_stored *stored;
  CHECK_CASE(talus_problem_write(context, path, &made.problem, NULL) == TALUS_OK, "%s: %s", path,
             talus_context_message(context));
  CHECK_CASE(talus_problem_read(context, path, &stored) == TALUS_OK, "%s: %s", path,
             talus_context_message(context));
  if (stored != NULL) {
    CHECK(stored->guess == NULL && stored->guess_bilateral == NULL);
    compare(path, stored, form);
  }
  talus_stored_destroy(stored);
}

/* Every storage and dimension, with and without bilateral rows and friction. */
static void test_matrix_forms(int hdf5) {
  for (int k = 0; k < 4; k++) {
    for (int32_t dimension = 1; dimension <= 3; dimension++) {
      for (int32_t bilateral = 0; bilateral <= 2; bilateral += 2) {
        sample_delassus(&made, storages[k], dimension, 4, bilateral);
        made.problem.friction = k == 2 ? NULL : made.friction;
        if (hdf5) {
          round_trip("local.hdf5", TALUS_FORM_DELASSUS);
        }
        if (bilateral == 0) {
          round_trip("local.dat", TALUS_FORM_DELASSUS);
        }
        sample_global(&made, storages[k], dimension, 4, bilateral);
        made.problem.friction = k == 1 ? NULL : made.friction;
        if (hdf5) {
          round_trip("global.hdf5", TALUS_FORM_GLOBAL);
        }
        if (bilateral == 0) {
          round_trip("global.dat", TALUS_FORM_GLOBAL);
        }
      }
    }
  }
}

/* M of as many rows as W would have: only the rest of the file tells the two apart. */
static void test_ambiguous_text(void) {
  sample_global(&made, TALUS_STORAGE_DENSE, 2, 5, 0);
  CHECK(made.problem.global.mass.rows == 2 * 5);
  round_trip("same_size.dat", TALUS_FORM_GLOBAL);
}

static void test_bodies(int hdf5) {
  for (int32_t bilateral = 0; bilateral <= 2; bilateral += 2) {
    for (int reaches = 0; reaches < 2; reaches++) {
      sample_rigid(&made, reaches, bilateral);
      if (hdf5) {
        round_trip("rigid.hdf5", TALUS_FORM_GLOBAL);
      }
      if (bilateral == 0) {
        round_trip("rigid.dat", TALUS_FORM_GLOBAL);
      }
    }
    for (int32_t dimension = 1; hdf5 && dimension <= 3; dimension++) {
      sample_blocks(&made, dimension, bilateral);
      round_trip("blocks.hdf5", TALUS_FORM_GLOBAL);
    }
  }
}

static void test_no_contacts(int hdf5) {
  sample_delassus(&made, TALUS_STORAGE_CSC, 3, 0, 0);
  round_trip("empty.dat", TALUS_FORM_DELASSUS);
  if (hdf5) {
    round_trip("empty.hdf5", TALUS_FORM_DELASSUS);
    sample_global(&made, TALUS_STORAGE_CSR, 3, 0, 1);
    round_trip("empty.hdf5", TALUS_FORM_GLOBAL);
  }
}

/* Impulses come back as the guess, rotated for form RIGID. */
static void test_solution(void) {
  double own[ROWS_MAX], in_file[ROWS_MAX], bilateral[ROWS_MAX];
  for (int kind = 0; kind < 4; kind++) {
    if (kind == 0) {
      sample_delassus(&made, TALUS_STORAGE_CSR, 3, 4, 0);
    } else if (kind == 1) {
      sample_global(&made, TALUS_STORAGE_TRIPLET, 3, 4, 2);
    } else if (kind == 2) {
      sample_rigid(&made, 0, 0);
    } else {
      sample_blocks(&made, 3, 0);
    }
    make_impulses(own, in_file, bilateral);
    talus_stored *stored;
    CHECK(talus_problem_write(context, "solved.hdf5", &made.problem, own) == TALUS_OK);
    CHECK(talus_problem_read(context, "solved.hdf5", &stored) == TALUS_OK);
    if (!CHECK(stored != NULL && stored->guess != NULL)) {
      continue;
    }
    CHECK(stored->guess_bilateral == NULL);
    for (int i = 0; i < made.problem.dimension * made.problem.contact_count; i++) {
      CHECK(stored->guess[i] == in_file[i]);
    }
    talus_stored_destroy(stored);
  }
}

static void test_frame(void) {
  sample_rigid(&made, 0, 0);
  for (int k = 0; k < 6; k++) {
    double frame[9];
    tl_contact_frame(made.normal + 3 * k, frame);
    for (int i = 0; i < 3; i++) {
      CHECK(frame[i] == made.normal[3 * k + i]);
      for (int j = 0; j < 3; j++) {
        const double *a = frame + 3 * i, *b = frame + 3 * j;
        CHECK_CLOSE(a[0] * b[0] + a[1] * b[1] + a[2] * b[2], i == j, 1e-15);
      }
    }
    const double determinant = frame[0] * (frame[4] * frame[8] - frame[5] * frame[7]) -
                               frame[1] * (frame[3] * frame[8] - frame[5] * frame[6]) +
                               frame[2] * (frame[3] * frame[7] - frame[4] * frame[6]);
    CHECK_CLOSE(determinant, 1, 1e-15);
    /* talus_solve.h: n = (x, y, z), s = 1 if z >= 0 else -1, b = -1 / (s + z) */
    const double x = frame[0], y = frame[1], s = frame[2] >= 0 ? 1 : -1, b = -1 / (s + frame[2]);
    const double tangents[6] = {1 + s * x * x * b, s * x * y * b, -s * x,
                                x * y * b,         s + y * y * b, -y};
    for (int i = 0; i < 6; i++) {
      CHECK_CLOSE(frame[3 + i], tangents[i], 1e-15);
    }
  }
  double there[18], back[18];
  tl_impulses_to_contact(&made.problem, made.arm_a, there);
  tl_impulses_to_world(&made.problem, there, back);
  for (int i = 0; i < 18; i++) {
    CHECK_CLOSE(back[i], made.arm_a[i], 1e-15);
  }
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const int hdf5 = have_hdf5();
  test_matrix_forms(hdf5);
  test_ambiguous_text();
  test_bodies(hdf5);
  test_no_contacts(hdf5);
  test_frame();
  if (hdf5) {
    test_solution();
  } else {
    printf("FCLIB skipped: built without HDF5\n");
  }
  talus_context_destroy(context);
  return check_end();
}
