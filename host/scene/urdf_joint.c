/* urdf_joint.c: a joint of a robot file as the joint of a link's def: type, axis, limits, dynamics.
 */
#include <string.h>

#include "host/math/vector.h"
#include "host/scene/urdf.h"

static const char *const types[TL_URDF_TYPES] = {"fixed",     "revolute", "continuous",
                                                 "prismatic", "floating", "planar"};
static const talus_link_kind kinds[TL_URDF_TYPES] = {TALUS_LINK_REVOLUTE, TALUS_LINK_REVOLUTE,
                                                     TALUS_LINK_REVOLUTE, TALUS_LINK_PRISMATIC,
                                                     TALUS_LINK_FREE,     TALUS_LINK_PLANAR};

int32_t tl_urdf_type_of(const char *word) {
  int32_t type = 0;
  while (type < TL_URDF_TYPES && (word == NULL || strcmp(types[type], word) != 0)) {
    type++;
  }
  return type;
}

static talus_status limits_read(const talus_urdf *urdf, const tl_urdf_joint *joint,
                                talus_link_def *def) {
  const tl_xml *const limit = tl_xml_child(joint->node, "limit");
  const bool ended = joint->type == TL_URDF_REVOLUTE || joint->type == TL_URDF_PRISMATIC;
  if (limit == NULL) {
    return ended ? tl_urdf_fail(urdf, joint->node, "joint '%.60s': a %s joint needs a limit",
                                joint->name, types[joint->type])
                 : TALUS_OK;
  }
  TL_TRY(tl_urdf_numbers(urdf, limit, "effort", 0, 1, &def->effort));
  TL_TRY(tl_urdf_numbers(urdf, limit, "velocity", 0, 1, &def->rate[0]));
  if (ended) {
    def->limited = 1;
    def->lower[0] = def->upper[0] = 0; /* as URDF has it */
    TL_TRY(tl_urdf_numbers(urdf, limit, "lower", 0, 1, &def->lower[0]));
    TL_TRY(tl_urdf_numbers(urdf, limit, "upper", 0, 1, &def->upper[0]));
    if (!(def->lower[0] <= def->upper[0])) {
      return tl_urdf_fail(urdf, limit, "joint '%.60s': its limits cross: lower %g, upper %g",
                          joint->name, def->lower[0], def->upper[0]);
    }
  }
  return TALUS_OK;
}

talus_status tl_urdf_joint_read(const talus_urdf *urdf, const tl_urdf_joint *joint,
                                talus_link_def *def) {
  const tl_xml *const axis = tl_xml_child(joint->node, "axis");
  const tl_xml *const dynamics = tl_xml_child(joint->node, "dynamics");
  *def = talus_link_def_default(kinds[joint->type]);
  def->name = joint->name;
  tl_set3(def->axis, 1, 0, 0);
  if (axis != NULL) {
    TL_TRY(tl_urdf_numbers(urdf, axis, "xyz", 1, 3, def->axis));
    if (!(tl_dot3(def->axis, def->axis) > 0)) {
      return tl_urdf_fail(urdf, axis, "joint '%.60s': its axis has length zero", joint->name);
    }
  }
  double third[3], unit[3];
  tl_copy3(unit, def->axis);
  tl_unit3(unit);
  tl_frame3(unit, def->axis2, third);
  if (dynamics != NULL) {
    TL_TRY(tl_urdf_numbers(urdf, dynamics, "damping", 0, 1, &def->damping));
    TL_TRY(tl_urdf_numbers(urdf, dynamics, "friction", 0, 1, &def->friction));
  }
  return limits_read(urdf, joint, def);
}
