/* measure_define.c: see measure_define.h. In a plane world a cylinder or annulus along y is a disk
 * or ring, a cylinder in the plane a rectangle. */
#include "host/scene/measure_define.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/math/rotation.h"
#include "host/scene/build.h"

static const tl_scene_measure *item_at(const tl_scene_definition *scene, int32_t i) {
  return (const tl_scene_measure *)scene->output.measure.item + i;
}

static bool has_region(const tl_scene_measure *m) {
  return m->region.item.node != NULL;
}

/* Whether a cylinder or annulus lies across the plane of a plane world. */
static bool lies_across(const tl_scene_region *region) {
  const double *const a = region->axis;
  return fabs(a[1]) > 1e3 * (fabs(a[0]) + fabs(a[2]));
}

/* ---- the domain ------------------------------------------------------------------------------ */

/* A frame whose z is the axis; in a plane world y stays. */
static void turn_to(const double axis[3], bool plane, double rotation[9]) {
  double z[3], x[3], y[3] = {0, 1, 0};
  tl_copy3(z, axis);
  tl_unit3(z);
  if (plane) {
    tl_cross3(x, y, z);
  } else {
    tl_frame3(z, x, y);
  }
  for (int c = 0; c < 3; c++) {
    rotation[3 * c] = x[c];
    rotation[3 * c + 1] = y[c];
    rotation[3 * c + 2] = z[c];
  }
}

/* A cylinder of a plane world: a disk or ring, or a rectangle about its axis. */
static void flatten_cylinder(const tl_scene_region *region, tl_domain *d) {
  if (lies_across(region)) {
    d->kind = TL_DOMAIN_BALL;
    return;
  }
  d->kind = TL_DOMAIN_BOX;
  turn_to(region->axis, true, d->pose.rotation);
  tl_set3(d->lower, -region->radius, 0, 0);
  tl_set3(d->upper, region->radius, 0, region->height);
}

static tl_domain domain_of(const tl_scene_region *region, bool plane) {
  tl_domain d = {.plane = plane, .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  if (region->kind == TL_REGION_CELL) {
    d.kind = TL_DOMAIN_CELL;
    return d;
  }
  if (region->kind == TL_REGION_BOX) {
    d.kind = TL_DOMAIN_BOX;
    memcpy(d.lower, region->lower, sizeof d.lower);
    memcpy(d.upper, region->upper, sizeof d.upper);
    return d;
  }
  tl_copy3(d.pose.position, region->centre);
  d.radius = region->radius;
  d.inner = region->kind == TL_REGION_ANNULUS ? region->inner : 0;
  if (region->kind == TL_REGION_BALL) {
    d.kind = TL_DOMAIN_BALL;
  } else if (plane) {
    flatten_cylinder(region, &d);
  } else {
    d.kind = TL_DOMAIN_CYLINDER;
    d.height = region->height;
    turn_to(region->axis, false, d.pose.rotation);
  }
  return d;
}

/* The smallest way across a domain. */
static double narrowest(const tl_domain *d) {
  double least = INFINITY;
  if (d->kind == TL_DOMAIN_BOX) {
    for (int c = 0; c < 3; c++) {
      least = d->plane && c == 1 ? least : fmin(least, d->upper[c] - d->lower[c]);
    }
    return least;
  }
  const double ring = d->inner > 0 ? d->radius - d->inner : 2 * d->radius;
  return d->kind == TL_DOMAIN_CYLINDER ? fmin(ring, d->height) : ring;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static talus_status check_name(talus_context *context, const tl_scene_definition *scene,
                               int32_t i) {
  const char *const name = item_at(scene, i)->name;
  const tl_node *const node = tl_tree_find(item_at(scene, i)->item.node, "name");
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (name[0] == '\0' || strlen(name) >= TL_MEASURE_NAME || strspn(name, plain) != strlen(name)) {
    return tl_node_fail(
        context, node,
        "output.measure[%d].name: '%.70s' is no name for columns and files: wants 1 "
        "to %d letters, digits, _ and -",
        (int)i, name, TL_MEASURE_NAME - 1);
  }
  for (int32_t k = 0; k < i; k++) {
    if (strcmp(item_at(scene, k)->name, name) == 0) {
      return tl_node_fail(context, node, "output.measure[%d].name: '%s' stands there twice", (int)i,
                          name);
    }
  }
  return TALUS_OK;
}

/* The cell is measured as a whole: its slices would cut grains at faces that are none. */
static talus_status check_cell(talus_context *context, const tl_scene_definition *scene,
                               const tl_scene_measure *m, int32_t i) {
  const tl_node *const node = m->region.item.node;
  if (scene->cell.item.node == NULL || scene->cell.periodic == 0) {
    return tl_node_fail(context, node, "output.measure[%d].region: there is no periodic cell",
                        (int)i);
  }
  if (m->kind != TL_MEASURE_REGION && m->kind != TL_MEASURE_FORCES) {
    return tl_node_fail(context, node,
                        "output.measure[%d].region: the cell is for the kinds region and forces; "
                        "others want a box",
                        (int)i);
  }
  return m->with == NULL
             ? TALUS_OK
             : tl_node_fail(context, tl_tree_find(m->item.node, "with"),
                            "output.measure[%d].with: the cell moves with no body", (int)i);
}

static talus_status check_region(talus_context *context, const tl_scene_definition *scene,
                                 const tl_scene_measure *m, int32_t i) {
  const tl_scene_region *const region = &m->region;
  const tl_node *const node = region->item.node;
  const bool plane = scene->world.plane != 0;
  if (region->kind == TL_REGION_CELL) {
    return check_cell(context, scene, m, i);
  }
  TL_TRY(tl_region_check(context, region, 0));
  if (region->without.count > 0) {
    return tl_node_fail(context, tl_tree_find(node, "without"),
                        "output.measure[%d].region.without: a region that is measured is whole: "
                        "wants a box, cylinder, ball or annulus alone",
                        (int)i);
  }
  if (plane && region->kind == TL_REGION_ANNULUS && !lies_across(region)) {
    return tl_node_fail(context, node,
                        "output.measure[%d].region: an annulus of a plane world wants "
                        "axis: [0, 1, 0]",
                        (int)i);
  }
  return TALUS_OK;
}

/* Which ways a region has bins along. */
static talus_status check_along(talus_context *context, const tl_scene_measure *m, int32_t i,
                                const tl_domain *d) {
  const bool box = !has_region(m) || d->kind == TL_DOMAIN_BOX;
  const bool straight = m->along <= TL_ALONG_Z;
  const bool fits =
      box ? straight && !(d->plane && m->along == TL_ALONG_Y)
          : !straight && (d->kind == TL_DOMAIN_CYLINDER || m->along == TL_ALONG_RADIUS);
  const tl_node *const node = tl_tree_find(m->item.node, "along");
  return fits ? TALUS_OK
              : tl_node_fail(context, node != NULL ? node : m->item.node,
                             "output.measure[%d].along: this region has bins along %s", (int)i,
                             box && d->plane                 ? "x or z"
                             : box                           ? "x, y or z"
                             : d->kind == TL_DOMAIN_CYLINDER ? "axis or radius"
                                                             : "radius");
}

static talus_status check_fields(talus_context *context, const tl_scene_measure *m, int32_t i,
                                 const tl_domain *d) {
  const tl_kernel kernel = tl_kernel_make((tl_kernel_kind)m->kernel, m->width, d->plane);
  if (!has_region(m) || d->kind != TL_DOMAIN_BOX) {
    return tl_node_fail(context, has_region(m) ? m->region.item.node : m->item.node,
                        "output.measure[%d].region: fields want a box, such as "
                        "region: {lower: [0, 0, 0], upper: [5 cm, 5 cm, 5 cm]}%s",
                        (int)i, has_region(m) ? "" : "; there is no region");
  }
  if (!(2 * kernel.reach <= narrowest(d))) {
    return tl_node_fail(context, tl_tree_find(m->item.node, "width"),
                        "output.measure[%d].width: the kernel is wider than the region: %g m reach "
                        "%g m to each side, and the region is %g m wide; wants at most %g m",
                        (int)i, m->width, kernel.reach, narrowest(d),
                        m->width * narrowest(d) / (2 * kernel.reach));
  }
  return TALUS_OK;
}

static talus_status check_one(talus_context *context, const tl_scene_definition *scene, int32_t i) {
  const tl_scene_measure *const m = item_at(scene, i);
  const bool plane = scene->world.plane != 0;
  TL_TRY(check_name(context, scene, i));
  if (has_region(m)) {
    TL_TRY(check_region(context, scene, m, i));
  }
  tl_domain d = {.plane = plane};
  if (has_region(m)) {
    d = domain_of(&m->region, plane);
  }
  if (m->kind == TL_MEASURE_PLANE && !(tl_dot3(m->normal, m->normal) > 0)) {
    return tl_node_fail(context, tl_tree_find(m->item.node, "normal"),
                        "output.measure[%d].normal: has length 0", (int)i);
  }
  if (m->kind == TL_MEASURE_RADIAL && has_region(m) && !(2 * m->reach < narrowest(&d))) {
    return tl_node_fail(
        context, tl_tree_find(m->item.node, "reach"),
        "output.measure[%d].reach: no grain is %g m away from all faces of a region "
        "that is %g m wide; wants less than %g m",
        (int)i, m->reach, narrowest(&d), 0.5 * narrowest(&d));
  }
  if (m->kind == TL_MEASURE_PROFILE) {
    TL_TRY(check_along(context, m, i, &d));
  }
  return m->kind == TL_MEASURE_FIELDS ? check_fields(context, m, i, &d) : TALUS_OK;
}

talus_status tl_measure_check(talus_context *context, const tl_scene_definition *scene) {
  for (int32_t i = 0; i < scene->output.measure.count; i++) {
    TL_TRY(check_one(context, scene, i));
  }
  return TALUS_OK;
}

/* ---- definitions ----------------------------------------------------------------------------- */

tl_measure_def tl_measure_define(const tl_scene_definition *scene, const tl_scene_measure *m,
                                 int32_t body) {
  const bool plane = scene->world.plane != 0;
  tl_measure_def def = {.kind = (tl_measure_kind)m->kind,
                        .everywhere = !has_region(m),
                        .body = body,
                        .groups = m->quantities != 0 ? m->quantities : (1u << TL_GROUP_COUNT) - 1,
                        .rattlers = m->rattlers > 0 ? (int32_t)m->rattlers : 2,
                        .along = (tl_profile_along)m->along,
                        .bins = (int32_t)m->bins,
                        .reach = m->reach,
                        .kernel = (tl_kernel_kind)m->kernel,
                        .width = m->width,
                        .spacing = m->spacing > 0 ? m->spacing : m->width};
  snprintf(def.name, sizeof def.name, "%s", m->name);
  def.domain.plane = plane;
  if (has_region(m)) {
    def.domain = domain_of(&m->region, plane);
  }
  tl_copy3(def.point, m->point);
  tl_copy3(def.normal, m->normal);
  tl_unit3(def.normal);
  return def;
}
