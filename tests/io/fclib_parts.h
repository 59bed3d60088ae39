/* fclib_parts.h: two good FCLIB files, dataset by dataset, for tests that replace one of them. */
#ifndef TL_TEST_FCLIB_PARTS_H
#define TL_TEST_FCLIB_PARTS_H

/* A dataset of whole or other numbers; count < 0: a group. */
typedef struct fclib_part {
  const char *name;
  int integers, count;
  double value[10];
} fclib_part;

/* One contact in the plane: W by columns, one bilateral row; and a global one by triplets. */
static const fclib_part fclib_local_parts[] = {{"fclib_local", 0, -1, {0}},
                                               {"fclib_local/spacedim", 1, 1, {2}},
                                               {"fclib_local/W", 0, -1, {0}},
                                               {"fclib_local/W/m", 1, 1, {2}},
                                               {"fclib_local/W/n", 1, 1, {2}},
                                               {"fclib_local/W/nzmax", 1, 1, {3}},
                                               {"fclib_local/W/nz", 1, 1, {-1}},
                                               {"fclib_local/W/p", 1, 3, {0, 2, 3}},
                                               {"fclib_local/W/i", 1, 3, {0, 1, 1}},
                                               {"fclib_local/W/x", 0, 3, {2, 1, 2}},
                                               {"fclib_local/V", 0, -1, {0}},
                                               {"fclib_local/V/m", 1, 1, {2}},
                                               {"fclib_local/V/n", 1, 1, {1}},
                                               {"fclib_local/V/nzmax", 1, 1, {1}},
                                               {"fclib_local/V/nz", 1, 1, {1}},
                                               {"fclib_local/V/p", 1, 1, {0}},
                                               {"fclib_local/V/i", 1, 1, {1}},
                                               {"fclib_local/V/x", 0, 1, {5}},
                                               {"fclib_local/R", 0, -1, {0}},
                                               {"fclib_local/R/m", 1, 1, {1}},
                                               {"fclib_local/R/n", 1, 1, {1}},
                                               {"fclib_local/R/nzmax", 1, 1, {1}},
                                               {"fclib_local/R/nz", 1, 1, {-2}},
                                               {"fclib_local/R/p", 1, 2, {0, 1}},
                                               {"fclib_local/R/i", 1, 1, {0}},
                                               {"fclib_local/R/x", 0, 1, {4}},
                                               {"fclib_local/vectors", 0, -1, {0}},
                                               {"fclib_local/vectors/q", 0, 2, {1, 2}},
                                               {"fclib_local/vectors/s", 0, 1, {3}},
                                               {"fclib_local/vectors/mu", 0, 1, {0.5}},
                                               {"solution", 0, -1, {0}},
                                               {"solution/r", 0, 2, {1, 0}},
                                               {"solution/l", 0, 1, {7}}};

static const fclib_part fclib_global_parts[] = {
    {"fclib_global", 0, -1, {0}},          {"fclib_global/spacedim", 1, 1, {2}},
    {"fclib_global/M", 0, -1, {0}},        {"fclib_global/M/m", 1, 1, {3}},
    {"fclib_global/M/n", 1, 1, {3}},       {"fclib_global/M/nzmax", 1, 1, {3}},
    {"fclib_global/M/nz", 1, 1, {3}},      {"fclib_global/M/p", 1, 3, {0, 1, 2}},
    {"fclib_global/M/i", 1, 3, {0, 1, 2}}, {"fclib_global/M/x", 0, 3, {2, 1, 2}},
    {"fclib_global/H", 0, -1, {0}},        {"fclib_global/H/m", 1, 1, {3}},
    {"fclib_global/H/n", 1, 1, {2}},       {"fclib_global/H/nzmax", 1, 1, {4}},
    {"fclib_global/H/nz", 1, 1, {2}},      {"fclib_global/H/p", 1, 2, {2, 1}},
    {"fclib_global/H/i", 1, 2, {0, 1}},    {"fclib_global/H/x", 0, 2, {1, 1}},
    {"fclib_global/vectors", 0, -1, {0}},  {"fclib_global/vectors/f", 0, 3, {1, 2, 3}},
    {"fclib_global/vectors/w", 0, 2, {3}}, {"fclib_global/vectors/mu", 0, 1, {0.5}}};

#endif
