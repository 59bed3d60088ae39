/* wall.c: containers, floors and drums as shapes of one body. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/math/vector.h"

#include "host/scene/build.h"

static talus_status add_shape(talus_world *world, int32_t body, const talus_shape_def *def) {
  int32_t id;
  return talus_shape_add(world, body, def, &id);
}

void tl_turn_z_to(const double to[3], double orientation[4]) {
  const double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
  const double n[3] = {to[0] / length, to[1] / length, to[2] / length};
  double q[4] = {1 + n[2], -n[1], n[0], 0};
  if (q[0] < 1e-9) {
    q[0] = 0; /* straight down: half a turn about x */
    q[1] = 1;
    q[2] = 0;
  }
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  for (int i = 0; i < 4; i++) {
    orientation[i] = q[i] / norm;
  }
}

static talus_status add_plane(talus_world *world, int32_t body, int32_t material,
                              const double point[3], const double normal[3]) {
  talus_shape_def def = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  def.material = material;
  memcpy(def.position, point, sizeof def.position);
  tl_turn_z_to(normal, def.orientation);
  return add_shape(world, body, &def);
}

/* Faces as planes, or as slabs that meet at the edges. */
static talus_status emit_box(talus_world *world, const tl_scene_wall *wall, int plane, int32_t body,
                             int32_t material) {
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    const double side = face % 2 == 0 ? -1 : 1;
    if (!(wall->faces >> face & 1u) || (plane && axis == 1)) {
      continue;
    }
    const double *size = wall->size, t = wall->thickness;
    double centre[3] = {0, 0, 0.5 * size[2]}, normal[3] = {0, 0, 0};
    centre[axis] += side * 0.5 * size[axis];
    normal[axis] = -side;
    if (t <= 0) {
      TL_TRY(add_plane(world, body, material, centre, normal));
      continue;
    }
    talus_shape_def def = talus_shape_def_default(TALUS_SHAPE_BOX);
    def.material = material;
    centre[axis] += side * 0.5 * t;
    for (int c = 0; c < 3; c++) {
      /* Side walls stand between floor and rim; the floor carries them. */
      const double beyond = axis == 2 || (axis == 0 && c == 1) ? t : 0;
      def.half_edge[c] = c == axis ? 0.5 * t : 0.5 * size[c] + (c == 2 ? 0 : beyond);
      def.position[c] = centre[c];
    }
    TL_TRY(add_shape(world, body, &def));
  }
  return TALUS_OK;
}

/* Adds a surface and gives its memory back. */
static talus_status add_surface(talus_world *world, int32_t body, int32_t material,
                                const double orientation[4], tl_wall_surface *surface) {
  talus_shape_def def = talus_shape_def_default(TALUS_SHAPE_MESH);
  def.material = material;
  def.point = surface->point;
  def.point_count = surface->point_count;
  def.triangle = surface->triangle;
  def.triangle_count = surface->triangle_count;
  if (orientation != NULL) {
    memcpy(def.orientation, orientation, sizeof def.orientation);
  }
  const talus_status status = add_shape(world, body, &def);
  tl_wall_surface_release(surface);
  return status;
}

static talus_status emit_revolved(talus_scene *scene, talus_world *world, const tl_scene_wall *wall,
                                  int32_t body, int32_t material, const double *profile,
                                  int32_t count, const double orientation[4]) {
  tl_wall_surface surface;
  const talus_status status = tl_wall_surface_revolve(
      scene->context, profile, count, (int32_t)wall->segments, wall->flip, &surface);
  if (status != TALUS_OK) {
    tl_wall_surface_release(&surface);
    return status;
  }
  return add_surface(world, body, material, orientation, &surface);
}

static talus_status emit_extruded(talus_scene *scene, talus_world *world, int32_t body,
                                  int32_t material, const double *profile, int32_t count,
                                  double length, int flip) {
  tl_wall_surface surface;
  const talus_status status =
      tl_wall_surface_extrude(scene->context, profile, count, length, flip, &surface);
  if (status != TALUS_OK) {
    tl_wall_surface_release(&surface);
    return status;
  }
  return add_surface(world, body, material, NULL, &surface);
}

/* Two slopes and what stands above them; front and back are planes. */
static talus_status emit_wedge(talus_scene *scene, talus_world *world, const tl_scene_wall *wall,
                               int32_t body, int32_t material) {
  const int plane = scene->def.world.plane;
  const double half = 0.5 * wall->size[0], slot = 0.5 * wall->opening;
  const double rise = (half - slot) * tan(wall->angle), top = rise + wall->size[2];
  const double left[] = {-half, top, -half, rise, -slot, 0};
  const double right[] = {slot, 0, half, rise, half, top};
  TL_TRY(emit_extruded(scene, world, body, material, left, 3, wall->size[1], 0));
  TL_TRY(emit_extruded(scene, world, body, material, right, 3, wall->size[1], 0));
  for (int side = -1; side <= 1 && !plane; side += 2) {
    const double point[3] = {0, 0.5 * side * wall->size[1], 0}, normal[3] = {0, -side, 0};
    TL_TRY(add_plane(world, body, material, point, normal));
  }
  return TALUS_OK;
}

static talus_status emit_drum(talus_scene *scene, talus_world *world, const tl_scene_wall *wall,
                              int32_t body, int32_t material) {
  static const double z_to_y[4] = {0.70710678118654752, -0.70710678118654752, 0, 0};
  const double half = 0.5 * wall->length;
  const double profile[] = {wall->radius, -half, wall->radius, half};
  TL_TRY(emit_revolved(scene, world, wall, body, material, profile, 2, z_to_y));
  for (int side = -1; side <= 1 && wall->closed && !scene->def.world.plane; side += 2) {
    const double point[3] = {0, side * half, 0}, normal[3] = {0, -side, 0};
    TL_TRY(add_plane(world, body, material, point, normal));
  }
  for (int64_t i = 0; i < wall->lifters; i++) {
    const double angle = 2 * TL_PI * (double)i / (double)wall->lifters;
    talus_shape_def def = talus_shape_def_default(TALUS_SHAPE_BOX);
    def.material = material;
    /* Half of the bar's height is hidden in the wall, so that no gap opens at flat pieces. */
    def.position[0] = (wall->radius - 0.25 * wall->lifter) * cos(angle);
    def.position[2] = (wall->radius - 0.25 * wall->lifter) * sin(angle);
    def.orientation[0] = cos(-0.5 * angle);
    def.orientation[2] = sin(-0.5 * angle);
    def.half_edge[0] = 0.75 * wall->lifter;
    def.half_edge[1] = half;
    def.half_edge[2] = 0.5 * wall->lifter;
    TL_TRY(add_shape(world, body, &def));
  }
  return TALUS_OK;
}

/* Names the wall's line and file before what was said. */
static talus_status file_fail(const talus_scene *scene, const tl_scene_wall *wall, const char *path,
                              talus_status status) {
  char reason[sizeof scene->context->message];
  if (status == TALUS_OUT_OF_MEMORY) {
    return status;
  }
  memcpy(reason, scene->context->message, sizeof reason);
  return tl_node_fail(scene->context, tl_tree_find(wall->item.node, "file"), "%s%s%.300s",
                      path != NULL ? path : "", path != NULL ? ": " : "", reason);
}

static talus_status holes_look(talus_scene *scene, const tl_scene_wall *wall, const char *path,
                               const tl_wall_surface *surface) {
  int64_t count;
  int32_t edge[2];
  if (wall->holes == TL_HOLES_ALLOW) {
    return TALUS_OK;
  }
  TL_TRY(tl_wall_surface_rims(surface, &count, edge));
  if (count == 0) {
    return TALUS_OK;
  }
  const double *const a = surface->point + 3 * (int64_t)edge[0];
  const double *const b = surface->point + 3 * (int64_t)edge[1];
  char text[512];
  snprintf(text, sizeof text,
           "%.200s is not closed: %lld edges have a triangle on one side alone, one of them from "
           "(%g %g %g) to (%g %g %g) m",
           path, (long long)count, a[0], a[1], a[2], b[0], b[1], b[2]);
  if (wall->holes == TL_HOLES_REFUSE) {
    return tl_node_fail(scene->context, tl_tree_find(wall->item.node, "file"), "%s", text);
  }
  const int32_t index = (int32_t)(wall - (const tl_scene_wall *)scene->def.walls.item);
  if (index >= scene->told_walls) {
    tl_log(scene->context, TALUS_LOG_WARNING, "%s (`holes: allow` if that is meant)", text);
    scene->told_walls = index + 1;
  }
  return TALUS_OK;
}

static talus_status emit_file(talus_scene *scene, talus_world *world, const tl_scene_wall *wall,
                              int32_t body, int32_t material) {
  char path[1024];
  snprintf(path, sizeof path, "%s%s", wall->file[0] == '/' ? "" : scene->folder, wall->file);
  tl_wall_surface surface;
  talus_status status =
      tl_wall_surface_read(scene->context, path, wall->scale, wall->flip, &surface);
  if (status != TALUS_OK) {
    return file_fail(scene, wall, NULL, status);
  }
  scene->wall_mesh[wall - (const tl_scene_wall *)scene->def.walls.item] =
      tl_wall_surface_hash(&surface);
  status = holes_look(scene, wall, path, &surface);
  if (status != TALUS_OK) {
    tl_wall_surface_release(&surface);
    return status;
  }
  status = add_surface(world, body, material, NULL, &surface);
  return status == TALUS_OK ? TALUS_OK : file_fail(scene, wall, path, status);
}

talus_status tl_wall_emit(talus_scene *scene, talus_world *world, const tl_scene_wall *wall,
                          int32_t body, int32_t material) {
  static const double here[3] = {0, 0, 0};
  const double hole = 0.5 * wall->opening, rise = (wall->radius - hole) * tan(wall->angle);
  const double silo[] = {0, 0, wall->radius, 0, wall->radius, wall->height};
  const double hopper[] = {hole, 0, wall->radius, rise, wall->radius, rise + wall->height};
  const int32_t open = wall->closed ? 0 : 1; /* points of the silo's profile to skip */
  switch (wall->kind) {
  case TL_WALL_PLANE:
    return add_plane(world, body, material, here, wall->normal);
  case TL_WALL_BOX:
    return emit_box(world, wall, scene->def.world.plane, body, material);
  case TL_WALL_SILO:
    return emit_revolved(scene, world, wall, body, material, silo + 2 * open, 3 - open, NULL);
  case TL_WALL_HOPPER:
    return emit_revolved(scene, world, wall, body, material, hopper, 3, NULL);
  case TL_WALL_WEDGE:
    return emit_wedge(scene, world, wall, body, material);
  case TL_WALL_DRUM:
    return emit_drum(scene, world, wall, body, material);
  case TL_WALL_REVOLVED:
    return emit_revolved(scene, world, wall, body, material, wall->profile.value,
                         wall->profile.count, NULL);
  case TL_WALL_EXTRUDED:
    return emit_extruded(scene, world, body, material, wall->profile.value, wall->profile.count,
                         wall->length, wall->flip);
  default:
    return emit_file(scene, world, wall, body, material);
  }
}
