/* shape.c: shapes of a scene to shapes of the world, scaled; how large they are. */
#include <math.h>
#include <string.h>

#include "host/math/vector.h"

#include "host/scene/build.h"

static double length_of(const double *v, int count) {
  double square = 0;
  for (int i = 0; i < count; i++) {
    square += v[i] * v[i];
  }
  return sqrt(square);
}

static double farthest(const tl_numbers *points, int width) {
  double largest = 0;
  for (int32_t i = 0; i < points->count; i++) {
    largest = fmax(largest, length_of(points->value + (size_t)width * (size_t)i, width));
  }
  return largest;
}

double tl_shape_radius(const tl_scene_shape *shape) {
  double largest = 0;
  switch (shape->kind) {
  case TL_SHAPE_BOX:
    return 0.5 * length_of(shape->size, 3);
  case TL_SHAPE_CAPSULE:
    return shape->radius + 0.5 * shape->length;
  case TL_SHAPE_CYLINDER:
    return sqrt(shape->radius * shape->radius + 0.25 * shape->length * shape->length);
  case TL_SHAPE_HULL:
    return farthest(&shape->points, 3);
  case TL_SHAPE_POLYGON:
    return shape->sides > 0 ? shape->radius : farthest(&shape->corners, 2);
  case TL_SHAPE_CLUMP:
    for (int32_t i = 0; i < shape->parts.count; i++) {
      const tl_scene_part *part = (const tl_scene_part *)shape->parts.item + i;
      largest = fmax(largest, length_of(part->position, 3) + tl_shape_radius(&part->shape));
    }
    return largest;
  default:
    return shape->radius;
  }
}

static void points_box(const tl_numbers *points, double lower[3], double upper[3]) {
  for (int c = 0; c < 3; c++) {
    lower[c] = INFINITY;
    upper[c] = -INFINITY;
  }
  for (int32_t i = 0; i < points->count; i++) {
    for (int c = 0; c < 3; c++) {
      lower[c] = fmin(lower[c], points->value[3 * i + c]);
      upper[c] = fmax(upper[c], points->value[3 * i + c]);
    }
  }
}

static double polygon_area(const tl_scene_shape *shape) {
  if (shape->sides > 0) {
    const double n = (double)shape->sides;
    return 0.5 * n * shape->radius * shape->radius * sin(2 * TL_PI / n);
  }
  double sum = 0;
  for (int32_t i = 0; i < shape->corners.count; i++) {
    const double *a = shape->corners.value + 2 * i;
    const double *b = shape->corners.value + 2 * ((i + 1) % shape->corners.count);
    sum += a[0] * b[1] - a[1] * b[0];
  }
  return 0.5 * fabs(sum);
}

double tl_shape_volume(const tl_scene_shape *shape, int plane) {
  const double r = shape->radius, l = shape->length;
  double lower[3], upper[3], sum = 0;
  switch (shape->kind) {
  case TL_SHAPE_BOX:
    return shape->size[0] * shape->size[2] * (plane ? 1 : shape->size[1]);
  case TL_SHAPE_CAPSULE:
    return plane ? TL_PI * r * r + 2 * r * l : TL_PI * r * r * (4 * r / 3 + l);
  case TL_SHAPE_CYLINDER:
    return plane ? 2 * r * l : TL_PI * r * r * l;
  case TL_SHAPE_HULL:
    points_box(&shape->points, lower, upper);
    /* Half of its box: between a tetrahedron's sixth and a box. */
    return 0.5 * (upper[0] - lower[0]) * (upper[2] - lower[2]) * (plane ? 1 : upper[1] - lower[1]);
  case TL_SHAPE_POLYGON:
    return polygon_area(shape);
  case TL_SHAPE_CLUMP:
    for (int32_t i = 0; i < shape->parts.count; i++) {
      sum += tl_shape_volume(&((const tl_scene_part *)shape->parts.item)[i].shape, plane);
    }
    return sum;
  default:
    return plane ? TL_PI * r * r : 4.0 / 3.0 * TL_PI * r * r * r;
  }
}

void tl_shape_extent(const tl_scene_shape *shape, double extent[3]) {
  const double radius = tl_shape_radius(shape);
  double lower[3], upper[3];
  for (int c = 0; c < 3; c++) {
    extent[c] = 2 * radius;
  }
  switch (shape->kind) {
  case TL_SHAPE_BOX:
    memcpy(extent, shape->size, sizeof shape->size);
    break;
  case TL_SHAPE_CAPSULE:
  case TL_SHAPE_CYLINDER:
    extent[0] = extent[1] = 2 * shape->radius;
    extent[2] = shape->length + (shape->kind == TL_SHAPE_CAPSULE ? 2 * shape->radius : 0);
    break;
  case TL_SHAPE_HULL:
    points_box(&shape->points, lower, upper);
    for (int c = 0; c < 3; c++) {
      extent[c] = 2 * fmax(upper[c], -lower[c]);
    }
    break;
  default:
    break;
  }
}

talus_status tl_shape_check(talus_context *context, const tl_scene_shape *shape, int plane) {
  const tl_node *node = shape->item.node;
  if (!plane && (shape->kind == TL_SHAPE_DISK || shape->kind == TL_SHAPE_POLYGON)) {
    return tl_node_fail(context, node, "shape %s needs a plane world (world.plane: true)",
                        shape->kind == TL_SHAPE_DISK ? "disk" : "polygon");
  }
  if (shape->kind == TL_SHAPE_HULL && shape->points.count < 4) {
    return tl_node_fail(context, tl_tree_find(node, "points"), "a hull needs at least four points");
  }
  if (shape->kind == TL_SHAPE_POLYGON) {
    const bool regular = shape->sides >= 3 && shape->radius > 0 && shape->corners.count == 0;
    if (!regular && (shape->corners.count < 3 || shape->sides > 0)) {
      return tl_node_fail(context, node,
                          "a polygon needs `corners` (three or more), or `sides` and `radius`");
    }
  }
  if (shape->kind == TL_SHAPE_CLUMP) {
    if (shape->parts.count == 0) {
      return tl_node_fail(context, node, "a clump needs at least one part");
    }
    for (int32_t i = 0; i < shape->parts.count; i++) {
      const tl_scene_part *part = (const tl_scene_part *)shape->parts.item + i;
      if (part->shape.kind == TL_SHAPE_CLUMP) {
        return tl_node_fail(context, part->item.node, "a part of a clump cannot be a clump");
      }
      TL_TRY(tl_shape_check(context, &part->shape, plane));
    }
  }
  return TALUS_OK;
}

/* The hull's points, scaled; a polygon becomes a prism as thick as it is wide. */
static talus_status fill_points(talus_scene *scene, const tl_scene_shape *shape, double factor,
                                talus_shape_def *def) {
  const bool prism = shape->kind == TL_SHAPE_POLYGON;
  const int32_t count = !prism             ? shape->points.count
                        : shape->sides > 0 ? (int32_t)shape->sides
                                           : shape->corners.count;
  TL_TRY(tl_buffer_reserve(scene->context, &scene->points, (size_t)count * (prism ? 2 : 1),
                           3 * sizeof(double), "points of a shape"));
  double *point = scene->points.memory;
  const double half = factor * tl_shape_radius(shape);
  for (int32_t i = 0; i < count; i++) {
    if (!prism) {
      for (int c = 0; c < 3; c++) {
        point[3 * i + c] = factor * shape->points.value[3 * i + c];
      }
      continue;
    }
    const double turn = 2 * TL_PI * (double)i / (double)count;
    const double x = shape->sides > 0 ? shape->radius * cos(turn) : shape->corners.value[2 * i];
    const double z = shape->sides > 0 ? shape->radius * sin(turn) : shape->corners.value[2 * i + 1];
    for (int side = 0; side < 2; side++) {
      double *to = point + 3 * (2 * i + side);
      to[0] = factor * x;
      to[1] = side == 0 ? -half : half;
      to[2] = factor * z;
    }
  }
  def->point = point;
  def->point_count = count * (prism ? 2 : 1);
  return TALUS_OK;
}

talus_status tl_shape_def(talus_scene *scene, const tl_scene_shape *shape, tl_variation variation,
                          const tl_scene_part *part, talus_shape_def *def) {
  static const talus_shape_kind kinds[] = {
      TALUS_SHAPE_SPHERE,   TALUS_SHAPE_SPHERE, TALUS_SHAPE_BOX, TALUS_SHAPE_CAPSULE,
      TALUS_SHAPE_CYLINDER, TALUS_SHAPE_HULL,   TALUS_SHAPE_HULL};
  *def = talus_shape_def_default(kinds[shape->kind]);
  def->radius = variation.factor * shape->radius;
  def->half_length = variation.factor * 0.5 * shape->length;
  for (int c = 0; c < 3; c++) {
    def->half_edge[c] = variation.factor * 0.5 * shape->size[c];
    def->position[c] = part != NULL ? variation.factor * part->position[c] : 0;
  }
  def->half_edge[0] *= variation.stretch;
  if (part != NULL) {
    memcpy(def->orientation, part->orientation, sizeof def->orientation);
  }
  return def->kind == TALUS_SHAPE_HULL ? fill_points(scene, shape, variation.factor, def)
                                       : TALUS_OK;
}

static talus_status emit_simple(talus_scene *scene, talus_world *world, int32_t body,
                                const tl_scene_shape *shape, tl_variation variation,
                                int32_t material, const tl_scene_part *part) {
  talus_shape_def def;
  int32_t id;
  TL_TRY(tl_shape_def(scene, shape, variation, part, &def));
  def.material = material;
  return talus_shape_add(world, body, &def, &id);
}

talus_status tl_shape_emit(talus_scene *scene, talus_world *world, int32_t body,
                           const tl_scene_shape *shape, tl_variation variation, int32_t material) {
  if (shape->kind != TL_SHAPE_CLUMP) {
    return emit_simple(scene, world, body, shape, variation, material, NULL);
  }
  for (int32_t i = 0; i < shape->parts.count; i++) {
    const tl_scene_part *part = (const tl_scene_part *)shape->parts.item + i;
    int32_t own = material;
    if (part->material != NULL) {
      TL_TRY(tl_material_find(scene, &part->item, part->material, &own));
    }
    TL_TRY(emit_simple(scene, world, body, &part->shape, variation, own, part));
  }
  return TALUS_OK;
}
