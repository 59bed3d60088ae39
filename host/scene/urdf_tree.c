/* urdf_tree.c: the links and joints of a robot file, and the mechanism they make.
 *
 * Names are looked up first; every link hangs on one joint but the root. Then the tree is walked
 * from the root: a link on a fixed joint becomes part of the one it is fixed to, any other a link
 * of the def. A link that is not reached is part of a loop. */
#include <math.h>
#include <string.h>

#include "host/math/vector.h"
#include "host/scene/urdf.h"

static int32_t count_of(const tl_xml *root, const char *name) {
  int32_t count = 0;
  for (const tl_xml *node = root->first; node != NULL; node = node->next) {
    count += strcmp(node->name, name) == 0;
  }
  return count;
}

static talus_status name_of(const talus_urdf *urdf, const tl_xml *node, const char **name) {
  *name = tl_xml_attribute(node, "name");
  return *name != NULL ? TALUS_OK : tl_urdf_fail(urdf, node, "a %.20s without a name", node->name);
}

static talus_status links_find(talus_urdf *urdf) {
  int32_t n = 0;
  for (const tl_xml *node = urdf->root->first; node != NULL; node = node->next) {
    if (strcmp(node->name, "link") != 0) {
      continue;
    }
    tl_urdf_link *const link = &urdf->link[n];
    const char *name;
    TL_TRY(name_of(urdf, node, &name));
    urdf->link_count = ++n;
    tl_names_add(&urdf->link_names, name, n - 1);
    link->name = name;
    link->node = node;
    link->joint = link->first = link->last = -1;
    link->link = -2;
    TL_TRY(tl_urdf_known(urdf, node, "inertial|collision|visual"));
    TL_TRY(tl_urdf_inertial(urdf, link));
  }
  const int32_t repeated = tl_names_sort(&urdf->link_names);
  return repeated < 0 ? TALUS_OK
                      : tl_urdf_fail(urdf, urdf->link[repeated].node,
                                     "two links are called '%.60s'", urdf->link[repeated].name);
}

/* The link that the child `what` (parent, child) of a joint names. */
static talus_status end_of(const talus_urdf *urdf, const tl_urdf_joint *joint, const char *what,
                           int32_t *link) {
  const tl_xml *const node = tl_xml_child(joint->node, what);
  const char *const name = node != NULL ? tl_xml_attribute(node, "link") : NULL;
  if (name == NULL) {
    return tl_urdf_fail(urdf, joint->node, "joint '%.60s' has no %s link", joint->name, what);
  }
  *link = tl_names_find(&urdf->link_names, name);
  return *link >= 0 ? TALUS_OK
                    : tl_urdf_fail(urdf, node, "joint '%.60s': its %s, link '%.60s', is not there",
                                   joint->name, what, name);
}

static talus_status joint_find(talus_urdf *urdf, const tl_xml *node, tl_urdf_joint *joint) {
  const char *const type = tl_xml_attribute(node, "type");
  joint->node = node;
  TL_TRY(name_of(urdf, node, &joint->name));
  TL_TRY(tl_urdf_known(urdf, node, "parent|child|origin|axis|limit|dynamics"));
  joint->type = tl_urdf_type_of(type);
  if (joint->type == TL_URDF_TYPES) {
    return tl_urdf_fail(urdf, node, "joint '%.60s': its type '%.40s' is not known", joint->name,
                        type != NULL ? type : "");
  }
  TL_TRY(end_of(urdf, joint, "parent", &joint->parent));
  TL_TRY(end_of(urdf, joint, "child", &joint->child));
  tl_urdf_link *const child = &urdf->link[joint->child];
  if (child->joint >= 0) {
    return tl_urdf_fail(urdf, node,
                        "joint '%.60s': link '%.60s' hangs on joint '%.60s' already (line %d); a "
                        "tree is needed",
                        joint->name, child->name, urdf->joint[child->joint].name,
                        urdf->joint[child->joint].node->line);
  }
  child->joint = (int32_t)(joint - urdf->joint);
  tl_urdf_link *const parent = &urdf->link[joint->parent];
  joint->next = -1;
  if (parent->last >= 0) {
    urdf->joint[parent->last].next = child->joint;
  } else {
    parent->first = child->joint;
  }
  parent->last = child->joint;
  return TALUS_OK;
}

static talus_status joints_find(talus_urdf *urdf) {
  for (const tl_xml *node = urdf->root->first; node != NULL; node = node->next) {
    if (strcmp(node->name, "joint") == 0) {
      TL_TRY(joint_find(urdf, node, &urdf->joint[urdf->joint_count]));
      urdf->joint_count++;
    }
  }
  return TALUS_OK;
}

static talus_status root_find(const talus_urdf *urdf, int32_t *root) {
  *root = -1;
  for (int32_t i = 0; i < urdf->link_count; i++) {
    if (urdf->link[i].joint >= 0) {
      continue;
    }
    if (*root >= 0) {
      return tl_urdf_fail(urdf, urdf->link[i].node,
                          "link '%.60s' hangs on no joint, and neither does '%.60s' (line %d)",
                          urdf->link[i].name, urdf->link[*root].name, urdf->link[*root].node->line);
    }
    *root = i;
  }
  if (*root < 0 && urdf->link_count > 0) {
    return tl_urdf_fail(
        urdf, urdf->joint[urdf->link[0].joint].node,
        "joint '%.60s' and others form a loop: no link is the root; a tree is needed",
        urdf->joint[urdf->link[0].joint].name);
  }
  return *root >= 0 ? TALUS_OK : tl_urdf_fail(urdf, urdf->root, "a robot without links");
}

/* ---- joints to links of the def -------------------------------------------------------------- */

/* A link of the def: on a joint, or (floating root) on a free one. Its mass is added up later. */
static talus_status link_begin(talus_urdf *urdf, int32_t index, const tl_urdf_pose *outer,
                               int32_t parent) {
  static const tl_urdf_pose here = {{0, 0, 0}, {1, 0, 0, 0}};
  tl_urdf_link *const link = &urdf->link[index];
  talus_link_def *const def = &urdf->made[urdf->def.link_count];
  if (link->joint >= 0) {
    TL_TRY(tl_urdf_joint_read(urdf, &urdf->joint[link->joint], def));
  } else {
    *def = talus_link_def_default(TALUS_LINK_FREE);
    def->name = "root";
  }
  tl_copy3(def->position, outer->position);
  memcpy(def->orientation, outer->orientation, sizeof def->orientation);
  def->parent = parent;
  def->mass = 0;
  tl_set3(def->centre, 0, 0, 0);
  memset(def->inertia, 0, sizeof def->inertia);
  link->link = urdf->def.link_count++;
  link->pose = here;
  return TALUS_OK;
}

/* Children of a link that has been placed. */
static talus_status children_place(talus_urdf *urdf, int32_t index) {
  const tl_urdf_link *const parent = &urdf->link[index];
  for (int32_t j = parent->first; j >= 0; j = urdf->joint[j].next) {
    const tl_urdf_joint *const joint = &urdf->joint[j];
    tl_urdf_link *const child = &urdf->link[joint->child];
    tl_urdf_pose pose;
    TL_TRY(tl_urdf_origin(urdf, joint->node, &pose));
    pose = tl_urdf_compose(&parent->pose, &pose);
    if (joint->type == TL_URDF_FIXED) {
      child->link = parent->link;
      child->pose = pose;
    } else {
      TL_TRY(link_begin(urdf, joint->child, &pose, parent->link));
    }
  }
  return TALUS_OK;
}

/* From the root on; `queue` holds the links whose children are to come. */
static talus_status tree_walk(talus_urdf *urdf, int32_t root, int32_t *queue) {
  const tl_urdf_pose base = {
      {urdf->given.position[0], urdf->given.position[1], urdf->given.position[2]},
      {urdf->given.orientation[0], urdf->given.orientation[1], urdf->given.orientation[2],
       urdf->given.orientation[3]}};
  int32_t count = 0;
  if (urdf->given.floating) {
    TL_TRY(link_begin(urdf, root, &base, TALUS_NONE));
  } else {
    urdf->link[root].link = TALUS_NONE;
    urdf->link[root].pose = base;
  }
  queue[count++] = root;
  for (int32_t at = 0; at < count; at++) {
    TL_TRY(children_place(urdf, queue[at]));
    for (int32_t j = urdf->link[queue[at]].first; j >= 0; j = urdf->joint[j].next) {
      queue[count++] = urdf->joint[j].child;
    }
  }
  for (int32_t i = 0; i < urdf->link_count; i++) {
    if (urdf->link[i].link == -2) {
      const tl_urdf_joint *const joint = &urdf->joint[urdf->link[i].joint];
      return tl_urdf_fail(urdf, joint->node,
                          "joint '%.60s' is part of a loop, or hangs on one; a tree is needed",
                          joint->name);
    }
  }
  return TALUS_OK;
}

/* Each link of the def by itself, so that what the mechanism refuses has its line. */
static talus_status link_check(const talus_urdf *urdf, const tl_urdf_link *link) {
  const tl_xml *const node = link->joint >= 0 ? urdf->joint[link->joint].node : link->node;
  talus_link_def one = urdf->made[link->link];
  talus_mechanism_def def = talus_mechanism_def_default();
  talus_mechanism *mechanism;
  char reason[sizeof urdf->context->message];
  if (!(one.mass > 0)) {
    return tl_urdf_fail(urdf, node,
                        "joint '%.60s': link '%.60s' moves and has no mass: give it an inertial",
                        one.name, link->name);
  }
  one.parent = TALUS_NONE;
  def.link_count = 1;
  def.link = &one;
  const talus_status status = talus_mechanism_create(urdf->context, &def, &mechanism);
  talus_mechanism_destroy(mechanism);
  if (status == TALUS_OK || status == TALUS_OUT_OF_MEMORY) {
    return status;
  }
  memcpy(reason, urdf->context->message, sizeof reason);
  return tl_urdf_fail(urdf, node, "link '%.60s': %s", link->name, reason);
}

static talus_status shapes_list(talus_urdf *urdf) {
  void *memory;
  int32_t count = 0;
  TL_TRY(tl_arena_take(&urdf->arena, (size_t)urdf->shape_count, sizeof *urdf->shape_at, &memory));
  urdf->shape_at = memory;
  for (tl_urdf_shape *at = urdf->shape; at != NULL; at = at->next) {
    urdf->shape_at[count++] = at;
  }
  return TALUS_OK;
}

talus_status tl_urdf_build(talus_urdf *urdf) {
  const size_t links = (size_t)count_of(urdf->root, "link");
  const size_t joints = (size_t)count_of(urdf->root, "joint");
  void *memory;
  int32_t root;
  TL_TRY(tl_arena_take(&urdf->arena, links + 1, sizeof *urdf->link, &memory));
  urdf->link = memory;
  TL_TRY(tl_arena_take(&urdf->arena, joints + 1, sizeof *urdf->joint, &memory));
  urdf->joint = memory;
  TL_TRY(tl_arena_take(&urdf->arena, links + 1, sizeof *urdf->made, &memory));
  urdf->made = memory;
  TL_TRY(tl_names_begin(&urdf->arena, (int32_t)links, &urdf->link_names));
  TL_TRY(tl_names_begin(&urdf->arena, (int32_t)links + 1, &urdf->made_names));
  TL_TRY(links_find(urdf));
  TL_TRY(joints_find(urdf));
  TL_TRY(root_find(urdf, &root));
  TL_TRY(tl_arena_take(&urdf->arena, links + 1, sizeof(int32_t), &memory));
  TL_TRY(tree_walk(urdf, root, memory));
  for (int32_t i = 0; i < urdf->link_count; i++) {
    if (urdf->link[i].link >= 0) {
      tl_urdf_weigh(&urdf->link[i], &urdf->made[urdf->link[i].link]);
    }
    TL_TRY(tl_urdf_collisions(urdf, &urdf->link[i]));
  }
  for (int32_t i = 0; i < urdf->link_count; i++) {
    const tl_urdf_link *const link = &urdf->link[i];
    const bool own =
        link->link >= 0 && (link->joint < 0 || urdf->joint[link->joint].type != TL_URDF_FIXED);
    TL_TRY(own ? link_check(urdf, link) : TALUS_OK);
  }
  urdf->def.link = urdf->made;
  for (int32_t i = 0; i < urdf->def.link_count; i++) {
    tl_names_add(&urdf->made_names, urdf->made[i].name, i);
  }
  tl_names_sort(&urdf->made_names); /* of two joints of one name the first is found */
  return shapes_list(urdf);
}
