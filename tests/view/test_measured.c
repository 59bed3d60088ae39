/* test_measured.c: colours by what was measured: fields of a grid at the places of bodies, sums
 * over the contacts of each body, and force chains. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/io/vtk_file.h"
#include "host/view/measured.h"
#include "host/view/render.h"
#include "host/view/render_stage.h"
#include "tests/check.h"

enum { BODIES = 4, CONTACTS = 4, STEP = 30 };

static talus_context *context;

/* Three balls in a row along x, the last of which touches the first through a face of the cell, and
 * a floor under the middle one. */
static const int32_t id[BODIES] = {10, 11, 12, 20}, material[BODIES] = {0, 0, 0, 0};
static const int32_t type[BODIES] = {TALUS_BODY_FREE, TALUS_BODY_FREE, TALUS_BODY_FREE,
                                     TALUS_BODY_FIXED};
static const double position[3 * BODIES] = {0.5, 0.5, 0.5, 1.5, 0.5, 0.5, 2.5, 0.5, 0.5, 0, 0, 0};
static const double zeros[3 * BODIES], radius[BODIES] = {0.5, 0.5, 0.5, INFINITY};
static const double orientation[4 * BODIES] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
/* The first pair has two points of contact. */
static const double point[3 * CONTACTS] = {1, 0.5, 0.5, 1, 0.5, 0.5, 3, 0.5, 0.5, 1.5, 0.5, 0};
static const double normal[3 * CONTACTS] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
static const double force[3 * CONTACTS] = {2, 0, 0, 1, 0, 0, 6, 0, 0, 0, 0, 4};
static const double gap[CONTACTS];
static const int32_t contact_body[2 * CONTACTS] = {10, 11, 10, 11, 12, 10, 20, 11};

static tl_frame frame_of(void) {
  tl_frame frame = {.body_count = BODIES, .contact_count = CONTACTS, .step = STEP, .periodic = 1};
  const double edge[6] = {3, 1, 1, 0, 0, 0};
  memcpy(frame.edge, edge, sizeof edge);
  frame.id = id;
  frame.position = position;
  frame.orientation = orientation;
  frame.velocity = frame.spin = zeros;
  frame.radius = radius;
  frame.material = material;
  frame.type = type;
  frame.contact_point = point;
  frame.contact_normal = normal;
  frame.contact_force = force;
  frame.contact_gap = gap;
  frame.contact_body = contact_body;
  return frame;
}

/* A grid over the cell with density = 1 + x, velocity (z, 2, y), written as a measurement is. */
static void grid_write(const char *path) {
  enum { N = 4, M = 3 };
  double density[N * M * M], velocity[3 * N * M * M];
  int32_t n = 0;
  for (int k = 0; k < M; k++) {
    for (int j = 0; j < M; j++) {
      for (int i = 0; i < N; i++, n++) {
        density[n] = 1 + 0.6 * i;
        velocity[3 * n] = 0.5 * k;
        velocity[3 * n + 1] = 2;
        velocity[3 * n + 2] = 0.5 * j;
      }
    }
  }
  const tl_vtk_image image = {{0, 0, 0}, {0.6, 0.5, 0.5}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {N, M, M}};
  const tl_vtk_array array[] = {{TL_VTK_POINT, "density", TL_VTK_FLOAT64, 1, n, density},
                                {TL_VTK_POINT, "velocity", TL_VTK_FLOAT64, 3, n, velocity}};
  tl_bytes file = {context, NULL, 0, 0};
  CHECK(tl_vtk_encode_image(context, &image, array, 2, &file) == TALUS_OK);
  CHECK(talus_file_write(context, path, file.memory, file.size) == TALUS_OK);
  tl_bytes_release(&file);
}

static int says(const char *word) {
  return strstr(talus_context_message(context), word) != NULL;
}

static void check_fields(const tl_frame *frame) {
  double value[BODIES];
  char label[TL_MEASURED_LABEL];
  remove("measured/cg.vti");
  grid_write("measure-cg-00000030.vti");
  CHECK(tl_measured_read(context, ".", "cg.density", frame, value, label) == TALUS_OK);
  CHECK(strcmp(label, "density [kg/m³]") == 0);
  CHECK_CLOSE(value[0], 1.5, 1e-12);
  CHECK_CLOSE(value[1], 2.5, 1e-12);
  CHECK(isnan(value[2])); /* x = 2.5 is outside */
  CHECK(tl_measured_read(context, ".", "cg.velocity_x", frame, value, label) == TALUS_OK);
  CHECK_CLOSE(value[1], 0.5, 1e-12);
  CHECK(tl_measured_read(context, ".", "cg.velocity_y", frame, value, label) == TALUS_OK);
  CHECK_CLOSE(value[1], 2, 1e-12);
  CHECK(tl_measured_read(context, ".", "cg.velocity", frame, value, label) == TALUS_BAD_SETTING);
  CHECK(says("velocity_x, _y, _z") && says("density"));
  CHECK(tl_measured_read(context, ".", "other.density", frame, value, label) == TALUS_FILE_OPEN);
  CHECK(says("other") && says("talus measure"));
  CHECK(!tl_measured_is("speed") && !tl_measured_is(".x") && !tl_measured_is("x."));
}

/* Where a step has no file, the mean over all frames is taken; what is no image is refused. */
static void check_files(const tl_frame *frame) {
  double value[BODIES];
  char label[TL_MEASURED_LABEL];
  mkdir("measured", 0777);
  remove("measure-cg-00000030.vti");
  grid_write("measured/cg.vti");
  CHECK(tl_measured_read(context, ".", "cg.density", frame, value, label) == TALUS_OK);
  CHECK_CLOSE(value[0], 1.5, 1e-12);
  FILE *file = fopen("measured/cg.vti", "w");
  fputs("<VTKFile type=\"ImageData\" header_type=\"UInt64\"><ImageData WholeExtent=\"0 1\">"
        "<AppendedData encoding=\"raw\">_",
        file);
  fclose(file);
  CHECK(tl_measured_read(context, ".", "cg.density", frame, value, label) == TALUS_FILE_FORMAT);
  CHECK(says("measured/cg.vti"));
  file = fopen("measured/cg.vti", "w"); /* 2^64 points wrap to the none that it has */
  fputs("<VTKFile type=\"ImageData\" header_type=\"UInt64\">"
        "<ImageData WholeExtent=\"0 4194303 0 2097151 0 2097151\" Origin=\"0 0 0\" "
        "Spacing=\"1 1 1\" Direction=\"1 0 0 0 1 0 0 0 1\">"
        "<PointData><DataArray type=\"Float64\" Name=\"density\" offset=\"0\"/></PointData>"
        "<AppendedData encoding=\"raw\">_",
        file);
  fwrite(zeros, 1, 8, file); /* an array of no bytes */
  fclose(file);
  CHECK(tl_measured_read(context, ".", "cg.density", frame, value, label) == TALUS_FILE_FORMAT);
  CHECK(says("does not tell where its points are"));
  remove("measured/cg.vti");
}

/* Two points of one pair count once; copies of the cell show what the originals do. */
static void check_sums(const tl_frame *frame) {
  tl_colour colour[9 * BODIES];
  double low = 0, high = 0;
  int32_t map = 0;
  CHECK(tl_render_range(context, &frame, 1, TL_FIELD_COORDINATION, &low, &high) == TALUS_OK);
  CHECK(low == 0 && high == 2); /* the middle ball: its neighbour and the floor */
  /* 3 N and 6 N on arms of half a metre */
  const double volume = 4.0 / 3 * 3.141592653589793 * 0.125, most = (3 + 6) * 0.5 / 3 / volume;
  CHECK(tl_render_range(context, &frame, 1, TL_FIELD_PRESSURE, &low, &high) == TALUS_OK);
  CHECK_CLOSE(high, most, 1e-12);
  const tl_select select = {.images = 1};
  tl_selected s;
  CHECK(tl_select_apply(context, frame, &select, &s) == TALUS_OK);
  const tl_field field[] = {TL_FIELD_FORCE, TL_FIELD_COORDINATION, TL_FIELD_PRESSURE};
  for (int f = 0; f < 3; f++) {
    low = high = 0;
    CHECK(tl_field_colours(context, &s.frame, field[f], &low, &high, colour, &map) == TALUS_OK);
    for (int32_t k = 0; k < s.frame.body_count; k++) {
      for (int32_t j = 0; j < k; j++) {
        CHECK(s.frame.id[j] != s.frame.id[k] ||
              memcmp(&colour[j], &colour[k], sizeof *colour) == 0);
      }
    }
  }
  tl_selected_release(&s);
}

/* A rod for each contact, from centre to centre; sections are as the forces. */
static void check_chains(const tl_frame *frame) {
  tl_select select = {.chains = true};
  tl_selected s;
  CHECK(tl_select_apply(context, frame, &select, &s) == TALUS_OK);
  CHECK(s.frame.body_count == 1 + CONTACTS && s.frame.id[0] == 20 && s.frame.value != NULL);
  CHECK(tl_frame_check(context, &s.frame) == TALUS_OK);
  const tl_geometry *const *rod = s.frame.shape_geometry;
  CHECK_CLOSE(s.frame.value[1], 2, 0);
  CHECK_CLOSE(rod[0]->half_length, 0.5, 1e-12);  /* between two centres */
  CHECK_CLOSE(rod[3]->half_length, 0.25, 1e-12); /* from the floor to a centre */
  CHECK_CLOSE(s.frame.position[3 * 3], 3, 1e-12);
  CHECK_CLOSE(rod[2]->radius / rod[0]->radius, sqrt(3), 1e-12);
  const double thick = rod[0]->radius;
  tl_selected_release(&s);
  select.strongest = 8; /* frames with one range have one scale, beyond which nothing is thicker */
  CHECK(tl_select_apply(context, frame, &select, &s) == TALUS_OK);
  CHECK_CLOSE(s.frame.shape_geometry[0]->radius / thick, sqrt(6.0 / 8), 1e-12);
  tl_selected_release(&s);
  select.strongest = 2;
  CHECK(tl_select_apply(context, frame, &select, &s) == TALUS_OK);
  CHECK_CLOSE(s.frame.shape_geometry[2]->radius, s.frame.shape_geometry[0]->radius, 1e-12);
  tl_selected_release(&s);
  select.strongest = 0;
  CHECK(tl_clip_parse("x>2", &select.clip[select.clip_count++]));
  CHECK(tl_select_apply(context, frame, &select, &s) == TALUS_OK);
  CHECK(s.frame.body_count == CONTACTS);
  tl_selected_release(&s);
}

int main(void) {
  CHECK(talus_context_create(NULL, &context) == TALUS_OK);
  const tl_frame frame = frame_of();
  check_fields(&frame);
  check_files(&frame);
  check_sums(&frame);
  check_chains(&frame);
  talus_context_destroy(context);
  return check_end();
}
