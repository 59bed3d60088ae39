/* urdf.c: reading a robot and giving it to a world. */
#include "host/scene/urdf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/structs.h"
#include "host/io/text_file.h"
#include "host/math/rotation.h"
#include "host/math/vector.h"
#include "host/scene/tree.h"

void talus_urdf_def_init(talus_urdf_def *def, size_t size) {
  static const talus_urdf_def defaults = {.orientation = {1}};
  tl_struct_init(&tl_struct_urdf_def, &defaults, def, size);
}

talus_status tl_urdf_fail(const talus_urdf *urdf, const tl_xml *node, const char *format, ...) {
  char words[400];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  return tl_fail(urdf->context, TALUS_FILE_FORMAT, "%s:%d: %s", urdf->path, node->line, words);
}

static bool is_among(const char *word, const char *words) {
  const size_t length = strlen(word);
  for (const char *at = words; at != NULL; at = strchr(at, '|')) {
    at += *at == '|';
    if (strncmp(at, word, length) == 0 && (at[length] == '|' || at[length] == 0)) {
      return true;
    }
  }
  return false;
}

talus_status tl_urdf_known(const talus_urdf *urdf, const tl_xml *node, const char *words) {
  for (const tl_xml *child = node->first; child != NULL; child = child->next) {
    if (is_among(child->name, words)) {
      continue;
    }
    if (!urdf->given.lenient) {
      return tl_urdf_fail(urdf, child, "the element '%.60s' of a %.20s is not supported",
                          child->name, node->name);
    }
    tl_log(urdf->context, TALUS_LOG_WARNING, "%s:%d: the element '%.60s' of a %.20s is passed over",
           urdf->path, child->line, child->name, node->name);
  }
  return TALUS_OK;
}

talus_status tl_urdf_numbers(const talus_urdf *urdf, const tl_xml *node, const char *name,
                             int needed, int count, double *value) {
  const char *text = tl_xml_attribute(node, name);
  if (text == NULL) {
    return needed ? tl_urdf_fail(urdf, node, "%.40s has no %s", node->name, name) : TALUS_OK;
  }
  for (int i = 0; i < count; i++) {
    char *end;
    value[i] = strtod(text, &end);
    if (end == text || !isfinite(value[i])) {
      return tl_urdf_fail(urdf, node, "%.40s: %s needs %d number%s", node->name, name, count,
                          count > 1 ? "s" : "");
    }
    text = end;
  }
  if (text[strspn(text, " \t\r\n")] != 0) {
    return tl_urdf_fail(urdf, node, "%.40s: %s has more than %d number%s", node->name, name, count,
                        count > 1 ? "s" : "");
  }
  return TALUS_OK;
}

talus_status tl_urdf_origin(const talus_urdf *urdf, const tl_xml *node, tl_urdf_pose *pose) {
  static const tl_urdf_pose here = {{0, 0, 0}, {1, 0, 0, 0}};
  const tl_xml *const origin = tl_xml_child(node, "origin");
  double angle[3] = {0, 0, 0};
  *pose = here;
  if (origin == NULL) {
    return TALUS_OK;
  }
  TL_TRY(tl_urdf_numbers(urdf, origin, "xyz", 0, 3, pose->position));
  TL_TRY(tl_urdf_numbers(urdf, origin, "rpy", 0, 3, angle));
  for (int c = 0; c < 3; c++) { /* about the fixed axes x, y, z, one after the other */
    double turn[3] = {0, 0, 0};
    turn[c] = angle[c];
    tl_quaternion_turn(pose->orientation, turn);
  }
  return TALUS_OK;
}

tl_urdf_pose tl_urdf_compose(const tl_urdf_pose *outer, const tl_urdf_pose *inner) {
  double rotation[9];
  tl_urdf_pose pose;
  tl_quaternion_matrix(outer->orientation, rotation);
  tl_turn3(pose.position, rotation, inner->position);
  tl_along3(pose.position, pose.position, 1, outer->position);
  tl_quaternion_times(outer->orientation, inner->orientation, pose.orientation);
  return pose;
}

/* ---- public ---------------------------------------------------------------------------------- */

static talus_status robot_read(talus_urdf *urdf) {
  TL_TRY(tl_xml_read(&urdf->arena, urdf->path, &urdf->root));
  if (strcmp(urdf->root->name, "robot") != 0) {
    return tl_urdf_fail(urdf, urdf->root, "the file begins with '%.40s', not with a robot",
                        urdf->root->name);
  }
  TL_TRY(tl_urdf_known(urdf, urdf->root, "link|joint|material"));
  return tl_urdf_build(urdf);
}

static talus_status urdf_begin(talus_urdf *urdf, const char *path) {
  const char *const slash = strrchr(path, '/');
  TL_TRY(tl_arena_text(&urdf->arena, path, strlen(path), &urdf->path));
  TL_TRY(tl_arena_text(&urdf->arena, path, slash != NULL ? (size_t)(slash - path) + 1 : 0,
                       &urdf->folder));
  if (urdf->given.packages != NULL) {
    TL_TRY(tl_arena_text(&urdf->arena, urdf->given.packages, strlen(urdf->given.packages),
                         &urdf->given.packages));
  }
  return TALUS_OK;
}

static uint64_t element_hash(const tl_xml *element, uint64_t hash) {
  hash = tl_text_hash(element->name, hash);
  for (const char **word = element->attribute; *word != NULL; word++) {
    hash = tl_text_hash(*word, hash);
  }
  for (const tl_xml *child = element->first; child != NULL; child = child->next) {
    hash = element_hash(child, hash);
  }
  return tl_text_hash("/", hash);
}

uint64_t tl_urdf_hash(const talus_urdf *urdf, uint64_t hash) {
  return element_hash(urdf->root, hash);
}

uint64_t tl_urdf_mesh_hash(const talus_urdf *urdf) {
  uint64_t hash = 0;
  for (const tl_urdf_shape *at = urdf->shape; at != NULL; at = at->next) {
    if (at->def.kind == TALUS_SHAPE_HULL) {
      hash = tl_bytes_hash(at->def.point, 3 * (size_t)at->def.point_count * sizeof(double),
                           hash != 0 ? hash : TL_HASH_START);
    }
  }
  return hash;
}

/* Copies a link in the size that the caller knows of it. */
static talus_status link_fit(const talus_urdf *urdf, int32_t i, size_t size, talus_link_def *link) {
  const talus_link_def *const own = &urdf->made[i];
  const talus_link_def defaults = talus_link_def_default(own->kind);
  if (!tl_struct_fits(&tl_struct_link_def, own, &defaults, size)) {
    return tl_fail(urdf->context, TALUS_UNSUPPORTED,
                   "%s: the joint '%.60s' needs members of talus_link_def that the program, which "
                   "is of an older release, does not know",
                   urdf->path, own->name);
  }
  link->struct_size = (uint32_t)size;
  tl_struct_write(&tl_struct_link_def, own, link);
  return TALUS_OK;
}

/* Copies the def and its links in the sizes that the caller knows, for talus_urdf_mechanism. */
static talus_status caller_fit(talus_urdf *urdf, size_t mechanism_size, size_t link_size) {
  talus_mechanism_def def = urdf->def;
  void *memory, *links;
  TL_TRY(tl_struct_check_size(urdf->context, &tl_struct_mechanism_def, "mechanism def",
                              mechanism_size));
  TL_TRY(tl_struct_check_size(urdf->context, &tl_struct_link_def, "link", link_size));
  TL_TRY(tl_arena_take(&urdf->arena, 1, mechanism_size, &memory));
  TL_TRY(tl_arena_take(&urdf->arena, (size_t)def.link_count, link_size, &links));
  for (int32_t i = 0; i < def.link_count; i++) {
    TL_TRY(link_fit(urdf, i, link_size, (void *)((char *)links + (size_t)i * link_size)));
  }
  def.link = links;
  urdf->caller_def = memory;
  urdf->caller_def->struct_size = (uint32_t)mechanism_size;
  tl_struct_write(&tl_struct_mechanism_def, &def, urdf->caller_def);
  return TALUS_OK;
}

talus_status talus_urdf_read_sized(talus_context *context, const char *path,
                                   const talus_urdf_def *def, size_t mechanism_size,
                                   size_t link_size, talus_urdf **result) {
  void *memory, *locale, *before;
  if (context == NULL || path == NULL || result == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  *result = NULL;
  talus_urdf_def given = talus_urdf_def_default();
  if (def != NULL) {
    TL_TRY(tl_struct_read(context, &tl_struct_urdf_def, "urdf def", def, &given));
  }
  if (!tl_quaternion_good(given.orientation)) {
    return tl_fail(context, TALUS_STRUCT_SIZE, "urdf def: orientation is no unit quaternion");
  }
  if (def != NULL && ((uint32_t)def->floating > 1 || (uint32_t)def->lenient > 1)) {
    return tl_fail(context, TALUS_BAD_SETTING,
                   "urdf def: floating (%d) and lenient (%d) must be 0 or 1", def->floating,
                   def->lenient);
  }
  TL_TRY(tl_alloc(context, &memory, 1, sizeof(talus_urdf), "a robot"));
  talus_urdf *const urdf = memory;
  memset(urdf, 0, sizeof *urdf);
  urdf->context = urdf->arena.context = context;
  urdf->given = given;
  urdf->def = talus_mechanism_def_default();
  talus_status status = urdf_begin(urdf, path);
  if (status == TALUS_OK) {
    tl_locale_enter(&locale, &before);
    status = robot_read(urdf);
    tl_locale_leave(locale, before);
  }
  if (status == TALUS_OK) {
    status = caller_fit(urdf, mechanism_size, link_size);
  }
  if (status != TALUS_OK) {
    talus_urdf_destroy(urdf);
    return status;
  }
  *result = urdf;
  return TALUS_OK;
}

void talus_urdf_destroy(talus_urdf *urdf) {
  if (urdf != NULL) {
    tl_arena_release(&urdf->arena);
    tl_free(urdf->context, urdf);
  }
}

const talus_mechanism_def *talus_urdf_mechanism(const talus_urdf *urdf) {
  return urdf != NULL ? urdf->caller_def : NULL;
}

int32_t talus_urdf_find_joint(const talus_urdf *urdf, const char *joint) {
  return urdf != NULL && joint != NULL ? tl_names_find(&urdf->made_names, joint) : TALUS_NONE;
}

int talus_urdf_find_link(const talus_urdf *urdf, const char *name, int32_t *link) {
  const int32_t found = urdf != NULL && name != NULL ? tl_names_find(&urdf->link_names, name) : -1;
  if (found < 0) {
    return 0;
  }
  *link = urdf->link[found].link;
  return 1;
}

int32_t talus_urdf_shape_count(const talus_urdf *urdf) {
  return urdf != NULL ? urdf->shape_count : 0;
}

talus_status talus_urdf_shape(const talus_urdf *urdf, int32_t index, int32_t *link,
                              talus_shape_def *shape) {
  if (urdf == NULL || index < 0 || index >= urdf->shape_count) {
    return TALUS_INDEX_RANGE;
  }
  TL_TRY(tl_struct_check(urdf->context, &tl_struct_shape_def, "shape", shape));
  *link = urdf->shape_at[index]->link;
  tl_struct_write(&tl_struct_shape_def, &urdf->shape_at[index]->def, shape);
  return TALUS_OK;
}

talus_status talus_urdf_add(talus_world *world, const talus_urdf *urdf, int32_t material,
                            int32_t *mechanism, int32_t *base) {
  int32_t made = TALUS_NONE, fixed = TALUS_NONE;
  if (world == NULL || urdf == NULL) {
    return TALUS_INVALID_ARGUMENT;
  }
  if (urdf->def.link_count > 0) {
    TL_TRY(talus_world_add_mechanism(world, &urdf->def, NULL, 0, &made));
  }
  for (const tl_urdf_shape *at = urdf->shape; at != NULL; at = at->next) {
    talus_shape_def shape = at->def;
    shape.material = material;
    if (at->link < 0 && fixed < 0) { /* shapes of the base have their places in the world */
      talus_body_def body = talus_body_def_default();
      body.type = TALUS_BODY_FIXED;
      TL_TRY(talus_body_add(world, &body, &fixed));
    }
    TL_TRY(talus_shape_add(world, at->link < 0 ? fixed : talus_link_body(world, made, at->link),
                           &shape, NULL));
  }
  if (made >= 0) {
    TL_TRY(talus_world_set_base(world, made, fixed));
  }
  if (mechanism != NULL) {
    *mechanism = made;
  }
  if (base != NULL) {
    *base = fixed;
  }
  return TALUS_OK;
}
