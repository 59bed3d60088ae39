/* packing_vtp.c: a packing as ParaView's points (.vtp): radius, orientation, velocity, spin, and of
 * other shapes than spheres shape, length and size. Written with the names of its materials; read
 * from such files and from the `grains` of a run's frames, which have spheres alone: their bodies
 * that are not free are left out. Points and radius are needed, the rest may be missing. */
#include <math.h>
#include <string.h>

#include "host/io/output_file.h"
#include "host/io/packing.h"
#include "host/io/vtk_file.h"

enum { LONGEST = 1 << 16 /* of all names together */ };

/* ---- reading --------------------------------------------------------------------------------- */

/* The arrays of a file by point; NULL: it has none. */
typedef struct points {
  const double *place, *radius, *orientation, *velocity, *spin, *length, *size;
  const int32_t *shape, *material, *type, *part, *name;
  int64_t count, name_count;
} points;

static talus_status array_find(const tl_vtk_content *content, const char *path,
                               tl_vtk_section section, const char *name, tl_vtk_type type,
                               int32_t components, int64_t *count, const void *value) {
  return tl_vtk_has(content, section, name) ? tl_vtk_get(content, path, section, name, type,
                                                         components, count, (const void **)value)
                                            : TALUS_OK;
}

static talus_status points_find(const tl_vtk_content *c, const char *path, points *p) {
  const tl_vtk_section at = TL_VTK_POINT;
  memset(p, 0, sizeof *p);
  p->count = p->name_count = -1;
  TL_TRY(tl_vtk_get(c, path, TL_VTK_POINTS, "Points", TL_VTK_FLOAT64, 3, &p->count,
                    (const void **)&p->place));
  TL_TRY(
      tl_vtk_get(c, path, at, "radius", TL_VTK_FLOAT64, 1, &p->count, (const void **)&p->radius));
  TL_TRY(array_find(c, path, at, "orientation", TL_VTK_FLOAT64, 4, &p->count, &p->orientation));
  TL_TRY(array_find(c, path, at, "velocity", TL_VTK_FLOAT64, 3, &p->count, &p->velocity));
  TL_TRY(array_find(c, path, at, "spin", TL_VTK_FLOAT64, 3, &p->count, &p->spin));
  TL_TRY(array_find(c, path, at, "length", TL_VTK_FLOAT64, 1, &p->count, &p->length));
  TL_TRY(array_find(c, path, at, "size", TL_VTK_FLOAT64, 3, &p->count, &p->size));
  TL_TRY(array_find(c, path, at, "shape", TL_VTK_INT32, 1, &p->count, &p->shape));
  TL_TRY(array_find(c, path, at, "material", TL_VTK_INT32, 1, &p->count, &p->material));
  TL_TRY(array_find(c, path, at, "type", TL_VTK_INT32, 1, &p->count, &p->type));
  TL_TRY(array_find(c, path, at, "part", TL_VTK_INT32, 1, &p->count, &p->part));
  return array_find(c, path, TL_VTK_FIELD, "material_names", TL_VTK_INT32, 1, &p->name_count,
                    &p->name);
}

static talus_status names_read(const points *p, const char *path, tl_body_list *packing) {
  void *memory = NULL;
  if (p->name == NULL) {
    return TALUS_OK; /* the first material of the scene for all */
  }
  if (p->name_count > LONGEST) {
    return tl_fail(packing->context, TALUS_FILE_FORMAT, "%s: material_names is too long", path);
  }
  TL_TRY(tl_alloc(packing->context, &memory, (size_t)p->name_count + 1, 1, "names"));
  packing->materials = memory;
  for (int64_t i = 0; i < p->name_count; i++) {
    packing->materials[i] = (char)p->name[i];
  }
  packing->materials[p->name_count] = '\0';
  return TALUS_OK;
}

static bool all_finite(const double *value, int count) {
  for (int c = 0; c < count; c++) {
    if (!isfinite(value[c])) {
      return false;
    }
  }
  return true;
}

static talus_status body_read(const points *p, const char *path, int64_t k, int32_t i,
                              tl_body_list *packing) {
  tl_packing_body *const body = &packing->body[i];
  talus_body_state *const state = &body->state;
  memset(body, 0, sizeof *body);
  body->collides = UINT32_MAX;
  body->first_shape = i;
  body->shape_count = 1;
  state->orientation[0] = 1;
  memcpy(state->position, p->place + 3 * k, sizeof state->position);
  if (p->orientation != NULL) {
    memcpy(state->orientation, p->orientation + 4 * k, sizeof state->orientation);
  }
  if (p->velocity != NULL) {
    memcpy(state->velocity, p->velocity + 3 * k, sizeof state->velocity);
  }
  if (p->spin != NULL) {
    memcpy(state->spin, p->spin + 3 * k, sizeof state->spin);
  }
  double norm = 0;
  for (int c = 0; c < 4; c++) {
    norm += state->orientation[c] * state->orientation[c];
  }
  if (!all_finite(state->position, 3) || !all_finite(state->velocity, 3) ||
      !all_finite(state->spin, 3) || !(norm > 0) || !isfinite(norm)) {
    return tl_fail(packing->context, TALUS_FILE_FORMAT,
                   "%s: point %lld has a place, velocity, spin or orientation that is no number",
                   path, (long long)k);
  }
  for (int c = 0; c < 4; c++) {
    state->orientation[c] /= sqrt(norm);
  }
  return TALUS_OK;
}

static talus_status shape_read(const points *p, const char *path, int64_t k, int32_t i,
                               tl_body_list *packing) {
  tl_packing_shape *const shape = &packing->shape[i];
  memset(shape, 0, sizeof *shape);
  shape->kind = p->shape != NULL ? p->shape[k] : TALUS_SHAPE_SPHERE;
  shape->orientation[0] = 1;
  shape->radius = p->radius[k];
  shape->half_length = p->length != NULL ? 0.5 * p->length[k] : 0;
  shape->material = p->name != NULL && p->material != NULL ? p->material[k] : 0;
  for (int c = 0; c < 3; c++) {
    shape->half_edge[c] = p->size != NULL ? 0.5 * p->size[3 * k + c] : 0;
  }
  const double *const e = shape->half_edge;
  const bool box = shape->kind == TALUS_SHAPE_BOX;
  const bool sized = box ? e[0] > 0 && e[1] > 0 && e[2] > 0 && all_finite(e, 3)
                         : shape->radius > 0 && isfinite(shape->radius);
  if (shape->kind < 0 || shape->kind > TALUS_SHAPE_CYLINDER || !sized || shape->material < 0 ||
      shape->material > LONGEST) {
    return tl_fail(packing->context, TALUS_FILE_FORMAT,
                   "%s: point %lld has no radius or size, or a shape or material that there is "
                   "not (frames of a run have spheres alone)",
                   path, (long long)k);
  }
  return TALUS_OK;
}

static talus_status bodies_read(const points *p, const char *path, tl_body_list *packing) {
  if (p->count > (1 << 28)) {
    return tl_fail(packing->context, TALUS_FILE_FORMAT, "%s: %lld bodies are too many", path,
                   (long long)p->count);
  }
  packing->body_count = packing->shape_count = (int32_t)p->count;
  TL_TRY(tl_packing_reserve(packing));
  int32_t i = 0;
  for (int64_t k = 0; k < p->count; k++) {
    if (p->type != NULL && p->type[k] != TALUS_BODY_FREE) {
      continue;
    }
    if (p->part != NULL && p->part[k] > 0) {
      return tl_fail(packing->context, TALUS_FILE_FORMAT,
                     "%s: point %lld is a part of a clump: --from takes clumps from the checkpoint",
                     path, (long long)k);
    }
    TL_TRY(body_read(p, path, k, i, packing));
    TL_TRY(shape_read(p, path, k, i, packing));
    i++;
  }
  packing->body_count = packing->shape_count = i;
  return i > 0 ? TALUS_OK
               : tl_fail(packing->context, TALUS_FILE_FORMAT, "%s: there are no free bodies", path);
}

talus_status tl_packing_read_vtp(const char *path, tl_body_list *packing) {
  tl_vtk_content content;
  points p;
  talus_status status = tl_vtk_decode(packing->context, path, &content);
  if (status == TALUS_OK) {
    status = points_find(&content, path, &p);
  }
  if (status == TALUS_OK) {
    status = names_read(&p, path, packing);
  }
  if (status == TALUS_OK) {
    status = bodies_read(&p, path, packing);
  }
  tl_vtk_release(&content);
  return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

enum { POINT, RADIUS, ORIENTATION, VELOCITY, SPIN, LENGTH, SIZE, SHAPE, MATERIAL, COLUMNS };

static const tl_vtk_array columns[COLUMNS] = {
    {TL_VTK_POINTS, "Points", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_POINT, "radius", TL_VTK_FLOAT64, 1, 0, NULL},
    {TL_VTK_POINT, "orientation", TL_VTK_FLOAT64, 4, 0, NULL},
    {TL_VTK_POINT, "velocity", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_POINT, "spin", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_POINT, "length", TL_VTK_FLOAT64, 1, 0, NULL},
    {TL_VTK_POINT, "size", TL_VTK_FLOAT64, 3, 0, NULL},
    {TL_VTK_POINT, "shape", TL_VTK_INT32, 1, 0, NULL},
    {TL_VTK_POINT, "material", TL_VTK_INT32, 1, 0, NULL}};

typedef struct writer {
  tl_bytes column[COLUMNS];
  tl_bytes name, connectivity, offsets;
} writer;

static talus_status put_body(writer *w, const tl_body_list *packing, int64_t i) {
  const tl_packing_body *const body = &packing->body[i];
  const tl_packing_shape *const s = &packing->shape[body->first_shape];
  const double length = 2 * s->half_length;
  const double size[3] = {2 * s->half_edge[0], 2 * s->half_edge[1], 2 * s->half_edge[2]};
  const void *const value[COLUMNS] = {body->state.position,
                                      &s->radius,
                                      body->state.orientation,
                                      body->state.velocity,
                                      body->state.spin,
                                      &length,
                                      size,
                                      &s->kind,
                                      &s->material};
  for (int c = 0; c < COLUMNS; c++) {
    TL_TRY(tl_bytes_append(&w->column[c], value[c],
                           (size_t)columns[c].components * tl_vtk_size(columns[c].type)));
  }
  const int64_t next = i + 1;
  TL_TRY(tl_bytes_append(&w->connectivity, &i, sizeof i));
  return tl_bytes_append(&w->offsets, &next, sizeof next);
}

static talus_status encode(writer *w, const tl_body_list *packing, tl_bytes *file) {
  const int64_t count = packing->body_count;
  tl_vtk_array array[COLUMNS + 3];
  int32_t n = 0;
  for (const char *at = packing->materials; at != NULL && *at != '\0'; at++) {
    const int32_t letter = (unsigned char)*at;
    TL_TRY(tl_bytes_append(&w->name, &letter, sizeof letter));
  }
  if (w->name.size > 0) {
    array[n++] = (tl_vtk_array){
        TL_VTK_FIELD,  "material_names", TL_VTK_INT32, 1, (int64_t)(w->name.size / sizeof(int32_t)),
        w->name.memory};
  }
  for (int64_t i = 0; i < count; i++) {
    TL_TRY(put_body(w, packing, i));
  }
  for (int c = 0; c < COLUMNS; c++) {
    array[n] = columns[c];
    array[n].count = count;
    array[n++].value = w->column[c].memory;
  }
  array[n++] =
      (tl_vtk_array){TL_VTK_VERTS, "connectivity", TL_VTK_INT64, 1, count, w->connectivity.memory};
  array[n++] = (tl_vtk_array){TL_VTK_VERTS, "offsets", TL_VTK_INT64, 1, count, w->offsets.memory};
  return tl_vtk_encode(packing->context, array, n, file);
}

static talus_status file_write(const tl_bytes *file, const char *path) {
  tl_output output;
  TL_TRY(tl_output_begin(file->context, path, &output));
  if (fwrite(file->memory, 1, file->size, output.stream) != file->size) {
    tl_output_abandon(&output);
    return tl_fail(file->context, TALUS_FILE_WRITE, "%s could not be written", path);
  }
  return tl_output_commit(&output);
}

talus_status tl_packing_write_vtp(const tl_body_list *packing, const char *path) {
  writer w;
  tl_bytes file = {packing->context, NULL, 0, 0};
  memset(&w, 0, sizeof w);
  w.name.context = w.connectivity.context = w.offsets.context = packing->context;
  for (int c = 0; c < COLUMNS; c++) {
    w.column[c].context = packing->context;
  }
  talus_status status = encode(&w, packing, &file);
  if (status == TALUS_OK) {
    status = file_write(&file, path);
  }
  for (int c = 0; c < COLUMNS; c++) {
    tl_bytes_release(&w.column[c]);
  }
  tl_bytes_release(&w.name);
  tl_bytes_release(&w.connectivity);
  tl_bytes_release(&w.offsets);
  tl_bytes_release(&file);
  return status;
}
