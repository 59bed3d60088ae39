/* urdf_link.c: inertials and collision shapes of a robot's links. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/math/rotation.h"
#include "host/math/vector.h"
#include "host/scene/build.h"
#include "host/scene/urdf.h"

talus_status tl_urdf_inertial(const talus_urdf *urdf, tl_urdf_link *link) {
  const tl_xml *const node = tl_xml_child(link->node, "inertial");
  double own[6] = {0}, rotation[9];
  tl_urdf_pose pose;
  if (node == NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_urdf_known(urdf, node, "origin|mass|inertia"));
  TL_TRY(tl_urdf_origin(urdf, node, &pose));
  const tl_xml *const mass = tl_xml_child(node, "mass");
  const tl_xml *const inertia = tl_xml_child(node, "inertia");
  if (mass == NULL || inertia == NULL) {
    return tl_urdf_fail(urdf, node, "link '%.60s': its inertial has no %s", link->name,
                        mass == NULL ? "mass" : "inertia");
  }
  static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  TL_TRY(tl_urdf_numbers(urdf, mass, "value", 1, 1, &link->mass));
  for (int i = 0; i < 6; i++) {
    const bool diagonal = i == 0 || i == 3 || i == 5;
    TL_TRY(tl_urdf_numbers(urdf, inertia, names[i], diagonal, 1, &own[i]));
  }
  tl_quaternion_matrix(pose.orientation, rotation);
  tl_inertia_turn(own, rotation, link->inertia);
  tl_copy3(link->centre, pose.position);
  return TALUS_OK;
}

/* inertia += what `mass` at the end of `arm` adds (sign -1: takes away) about the arm's beginning.
 */
static void point_mass(double *inertia, double mass, const double *arm) {
  const double square = tl_dot3(arm, arm);
  const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) {
    inertia[i] += mass * ((row[i] == column[i] ? square : 0) - arm[row[i]] * arm[column[i]]);
  }
}

void tl_urdf_weigh(const tl_urdf_link *link, talus_link_def *def) {
  double rotation[9], centre[3], turned[6], common[3], away[3];
  const double total = def->mass + link->mass;
  if (!(total > 0)) {
    return;
  }
  tl_quaternion_matrix(link->pose.orientation, rotation);
  tl_turn3(centre, rotation, link->centre);
  tl_along3(centre, centre, 1, link->pose.position);
  tl_inertia_turn(link->inertia, rotation, turned);
  for (int c = 0; c < 3; c++) {
    common[c] = (def->mass * def->centre[c] + link->mass * centre[c]) / total;
  }
  tl_sub3(away, def->centre, common);
  point_mass(def->inertia, def->mass, away);
  tl_sub3(away, centre, common);
  point_mass(turned, link->mass, away);
  for (int i = 0; i < 6; i++) {
    def->inertia[i] += turned[i];
  }
  def->mass = total;
  tl_copy3(def->centre, common);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Where a mesh lies: package:// and file:// are known, other names are seen from the file. */
static talus_status mesh_path(const talus_urdf *urdf, const tl_xml *node, char *path, size_t room) {
  const char *name = tl_xml_attribute(node, "filename");
  static const char package[] = "package://", file[] = "file://";
  const char *folder = urdf->folder;
  if (name == NULL) {
    return tl_urdf_fail(urdf, node, "a mesh without a filename");
  }
  if (strncmp(name, package, sizeof package - 1) == 0) {
    name += sizeof package - 1;
    if (urdf->given.packages != NULL) {
      folder = urdf->given.packages;
    } else if (strchr(name, '/') != NULL) {
      name = strchr(name, '/') + 1;
    }
  } else if (strncmp(name, file, sizeof file - 1) == 0) {
    name += sizeof file - 1;
  }
  const size_t length = strlen(folder);
  const bool slash = length > 0 && folder[length - 1] != '/';
  const int used = name[0] == '/' ? snprintf(path, room, "%s", name)
                                  : snprintf(path, room, "%s%s%s", folder, slash ? "/" : "", name);
  return used >= 0 && (size_t)used < room ? TALUS_OK
                                          : tl_urdf_fail(urdf, node, "the name is too long");
}

/* Points of a mesh file, in the arena; the shape is their convex hull. */
static talus_status mesh_read(talus_urdf *urdf, const tl_xml *node, talus_shape_def *def) {
  char path[1024], reason[sizeof urdf->context->message];
  double scale[3] = {1, 1, 1};
  tl_wall_surface surface;
  void *memory;
  TL_TRY(mesh_path(urdf, node, path, sizeof path));
  TL_TRY(tl_urdf_numbers(urdf, node, "scale", 0, 3, scale));
  const talus_status status = tl_wall_surface_read(urdf->context, path, 1, 0, &surface);
  if (status == TALUS_FILE_OPEN || status == TALUS_FILE_FORMAT) {
    memcpy(reason, urdf->context->message, sizeof reason);
    return tl_fail(urdf->context, status, "%s:%d: mesh: %s", urdf->path, node->line, reason);
  }
  TL_TRY(status);
  const size_t count = (size_t)surface.point_count;
  const talus_status taken = tl_arena_take(&urdf->arena, 3 * count, sizeof(double), &memory);
  for (size_t i = 0; taken == TALUS_OK && i < 3 * count; i++) {
    ((double *)memory)[i] = scale[i % 3] * surface.point[i];
  }
  def->point = memory;
  def->point_count = surface.point_count;
  tl_wall_surface_release(&surface);
  return taken;
}

static talus_status geometry_read(talus_urdf *urdf, const tl_xml *node, talus_shape_def *def) {
  double size[3] = {0, 0, 0}, length = 0;
  const tl_xml *const what = node->first;
  if (what == NULL || what->next != NULL) {
    return tl_urdf_fail(urdf, node, "a geometry is one box, cylinder, sphere or mesh");
  }
  if (strcmp(what->name, "box") == 0) {
    *def = talus_shape_def_default(TALUS_SHAPE_BOX);
    TL_TRY(tl_urdf_numbers(urdf, what, "size", 1, 3, size));
    tl_scale3(def->half_edge, 0.5, size);
  } else if (strcmp(what->name, "cylinder") == 0) {
    *def = talus_shape_def_default(TALUS_SHAPE_CYLINDER);
    TL_TRY(tl_urdf_numbers(urdf, what, "radius", 1, 1, &def->radius));
    TL_TRY(tl_urdf_numbers(urdf, what, "length", 1, 1, &length));
    def->half_length = 0.5 * length;
  } else if (strcmp(what->name, "sphere") == 0) {
    *def = talus_shape_def_default(TALUS_SHAPE_SPHERE);
    TL_TRY(tl_urdf_numbers(urdf, what, "radius", 1, 1, &def->radius));
  } else if (strcmp(what->name, "mesh") == 0) {
    *def = talus_shape_def_default(TALUS_SHAPE_HULL);
    TL_TRY(mesh_read(urdf, what, def));
  } else {
    return tl_urdf_fail(
        urdf, what, "the geometry '%.60s' is not known (box, cylinder, sphere, mesh)", what->name);
  }
  return TALUS_OK;
}

talus_status tl_urdf_collisions(talus_urdf *urdf, const tl_urdf_link *link) {
  for (const tl_xml *node = link->node->first; node != NULL; node = node->next) {
    if (strcmp(node->name, "collision") != 0) {
      continue;
    }
    const tl_xml *const geometry = tl_xml_child(node, "geometry");
    tl_urdf_pose pose;
    void *memory;
    TL_TRY(tl_urdf_known(urdf, node, "origin|geometry"));
    if (geometry == NULL) {
      return tl_urdf_fail(urdf, node, "link '%.60s': a collision without geometry", link->name);
    }
    TL_TRY(tl_arena_take(&urdf->arena, 1, sizeof(tl_urdf_shape), &memory));
    tl_urdf_shape *const made = memory;
    TL_TRY(geometry_read(urdf, geometry, &made->def));
    TL_TRY(tl_urdf_origin(urdf, node, &pose));
    pose = tl_urdf_compose(&link->pose, &pose);
    tl_copy3(made->def.position, pose.position);
    memcpy(made->def.orientation, pose.orientation, sizeof pose.orientation);
    made->link = link->link;
    if (urdf->last_shape != NULL) {
      urdf->last_shape->next = made;
    } else {
      urdf->shape = made;
    }
    urdf->last_shape = made;
    urdf->shape_count++;
  }
  return TALUS_OK;
}
