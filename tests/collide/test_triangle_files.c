/* test_triangle_files.c: STL and OBJ files, good and hostile. */
#include "host/io/stl.h"
#include "tests/collide/shapes.h"

static talus_context *context;

static void put(const char *path, const void *bytes, size_t size) {
  FILE *const file = fopen(path, "wb");
  if (!CHECK(file != NULL && fwrite(bytes, 1, size, file) == size)) {
    exit(EXIT_FAILURE);
  }
  fclose(file);
}

static void refuse(const char *path, const char *bytes, size_t size, const char *word) {
  tl_triangles t;
  put(path, bytes, size);
  const talus_status status = tl_triangles_read(context, path, &t);
  CHECK_CASE(status == TALUS_FILE_FORMAT, "%s for %s", talus_status_name(status), word);
  CHECK_CASE(strstr(talus_context_message(context), word) != NULL, "'%s' lacks '%s'",
             talus_context_message(context), word);
  CHECK(t.point == NULL && t.triangle == NULL);
}

static void refuse_text(const char *path, const char *text, const char *word) {
  refuse(path, text, strlen(text), word);
}

/* A tetrahedron in all three spellings: four points, four triangles, closed, volume 1/6. */
static void check_tetrahedron(const char *path) {
  tl_triangles t;
  if (!CHECK(tl_triangles_read(context, path, &t) == TALUS_OK)) {
    printf("  %s\n", talus_context_message(context));
    return;
  }
  CHECK_CASE(t.point_count == 4 && t.triangle_count == 4, "%s: %d %d", path, t.point_count,
             t.triangle_count);
  talus_shape_def def = shape_def(TALUS_SHAPE_MESH);
  tl_geometry *geometry = NULL;
  int closed = 0;
  def.point = t.point;
  def.point_count = t.point_count;
  def.triangle = t.triangle;
  def.triangle_count = t.triangle_count;
  CHECK(tl_geometry_create(context, &def, &geometry, &closed) == TALUS_OK && closed == 1);
  CHECK_CLOSE(tl_geometry_mass(geometry, 0).volume, 1.0 / 6, 1e-12);
  tl_geometry_destroy(context, geometry);
  tl_triangles_release(&t);
}

static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static size_t binary(char *bytes) {
  const uint32_t count = 4;
  memset(bytes, 0, 84 + 50 * count);
  memcpy(bytes, "solid but binary", 16); /* many writers do that */
  memcpy(bytes + 80, &count, 4);
  for (int f = 0; f < 4; f++) {
    for (int c = 0; c < 3; c++) {
      memcpy(bytes + 84 + 50 * f + 12 + 12 * c, corner[face[f][c]], 12);
    }
  }
  return 84 + 50 * count;
}

static void good(void) {
  char bytes[512], text[4096];
  put("binary.stl", bytes, binary(bytes));
  check_tetrahedron("binary.stl");
  int n = snprintf(text, sizeof text, "solid of four faces\r\n");
  for (int f = 0; f < 4; f++) {
    n += snprintf(text + n, sizeof text - (size_t)n, " facet normal 0 0 0\r\n  outer loop\r\n");
    for (int c = 0; c < 3; c++) {
      const float *const p = corner[face[f][c]];
      n += snprintf(text + n, sizeof text - (size_t)n, "   vertex %s%g %e %g\r\n",
                    f == 1 && p[0] == 0 ? "-" : "", p[0], p[1], p[2]);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "  endloop\r\n endfacet\r\n%s",
                  f == 1 ? "endsolid\nsolid\n" : ""); /* two solids in one file */
  }
  n += snprintf(text + n, sizeof text - (size_t)n, "endsolid of four faces");
  put("text.stl", text, (size_t)n);
  check_tetrahedron("text.stl");
  const char *const obj = "# four faces\nmtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0 # a corner\n"
                          "v 0 1 0 1.0\n\tv 0 0 \\\n 1\nvt 0.5 0.5\nvn 0 0 1\ns off\n"
                          "f 1/1 3/1/1 2//1\nf -4 -3 -1\r\nf 1 4 3\nf 2 3 4\n";
  put("four.obj", obj, strlen(obj));
  check_tetrahedron("four.obj");
  tl_triangles t;
  const char *const polygon = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 0\nf 1 2 3 4\n";
  put("polygon.obj", polygon, strlen(polygon));
  CHECK(tl_triangles_read(context, "polygon.obj", &t) == TALUS_OK);
  CHECK(t.triangle_count == 2 && t.point_count == 4); /* the fifth is the first again */
  tl_triangles_release(&t);
}

static void bad(void) {
  char bytes[512];
  const size_t size = binary(bytes);
  memcpy(bytes, "no word", 7);
  refuse("cut.stl", bytes, size - 1, "283");
  refuse("long.stl", bytes, size + 1, "285");
  const uint32_t many = 0xffffffffu; /* claims 200 GB */
  memcpy(bytes + 80, &many, 4);
  refuse("claims.stl", bytes, size, "4294967295");
  binary(bytes);
  const float infinite = INFINITY;
  memcpy(bytes + 84 + 50 + 16, &infinite, 4);
  refuse("infinite.stl", bytes, size, "facet 1");
  refuse("short.stl", bytes, 10, "endsolid");
  refuse_text("empty.stl", "", "'solid'");
  refuse_text("none.stl", "solid x\nendsolid x\n", "no triangles");
  refuse_text("word.stl", "solid x\n facet normal 0 0 1\n outer loop\n vortex 0 0 0\n",
              ":4: 'vortex'");
  refuse_text("number.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 O\n", ":4:");
  refuse_text("nan.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", ":4:");
  refuse_text("end.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1", "ends");
  refuse_text("few.obj", "v 0 0 0\nv 1 0\n", ":2:");
  refuse_text("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", ":4:");
  refuse_text("zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", ":4:");
  refuse_text("minus.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", ":4:");
  refuse_text("huge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", ":4:");
  refuse_text("word.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", ":4:");
  refuse_text("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", ":4:");
  refuse_text("what.obj", "v 0 0 0\ncurv 0 1 1 2\n", ":2: not understood: 'curv'");
  refuse_text("slash.obj", "v 0 0 \\", ":1:");
  refuse_text("inf.obj", "v 0 0 inf\n", ":1:");
  refuse_text("nothing.obj", "\n\n# nothing\n", "no triangles");
  tl_triangles t;
  CHECK(tl_triangles_read(context, "absent.stl", &t) == TALUS_FILE_OPEN);
}

/* Random bytes and files damaged in one place: any answer, but an answer. */
static void noise(void) {
  char bytes[600];
  tl_triangles t;
  int refused = 0;
  for (int k = 0; k < 300; k++) {
    size_t size = k % 3 == 0 ? (size_t)between(0, 600) : binary(bytes);
    const char *const obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/2/3 2 3 \\\n 1\nvt 1\n";
    if (k % 3 == 0) {
      for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)between(0, 256);
      }
    } else if (k % 3 == 1) {
      bytes[(size_t)between(80, (double)size)] = (char)between(0, 256);
    } else {
      size = strlen(obj);
      memcpy(bytes, obj, size);
      bytes[(size_t)between(0, (double)size)] = (char)between(0, 128);
    }
    const char *const path = k % 3 == 2 || k % 2 == 0 ? "noise.obj" : "noise.stl";
    put(path, bytes, size);
    refused += tl_triangles_read(context, path, &t) != TALUS_OK;
    for (int32_t i = 0; i < 3 * t.triangle_count; i++) {
      CHECK(t.triangle[i] >= 0 && t.triangle[i] < t.point_count);
    }
    tl_triangles_release(&t);
  }
  CHECK(refused > 100);
}

int main(void) {
  context = new_context();
  good();
  bad();
  noise();
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
