/* lookup.c: things of a scene by their names: materials, bodies, walls, mechanisms, links; and
 * what to call a body in a message.
 *
 * Names are sorted once, when the file has been read; names that stand twice are refused then. */
#include <stdio.h>
#include <string.h>

#include "host/scene/build.h"

static const tl_scene_mechanism *mechanism_at(const talus_scene *scene, int32_t i) {
  return (const tl_scene_mechanism *)scene->def.mechanisms.item + i;
}

/* Body or wall number i, bodies first: its name, or NULL; its place in the file. */
static const char *thing_name(const tl_scene_definition *def, int32_t i) {
  return i < def->bodies.count
             ? ((const tl_scene_body *)def->bodies.item)[i].name
             : ((const tl_scene_wall *)def->walls.item)[i - def->bodies.count].name;
}

static const tl_node *thing_node(const tl_scene_definition *def, int32_t i) {
  return i < def->bodies.count
             ? ((const tl_scene_body *)def->bodies.item)[i].item.node
             : ((const tl_scene_wall *)def->walls.item)[i - def->bodies.count].item.node;
}

/* ---- sorting --------------------------------------------------------------------------------- */

static talus_status index_things(talus_scene *scene) {
  const tl_scene_definition *const def = &scene->def;
  const int32_t count = def->bodies.count + def->walls.count;
  TL_TRY(tl_names_begin(&scene->arena, count, &scene->things));
  for (int32_t i = 0; i < count; i++) {
    tl_names_add(&scene->things, thing_name(def, i), i);
  }
  const int32_t repeated = tl_names_sort(&scene->things);
  const int32_t world = tl_names_find(&scene->things, "world");
  if (repeated >= 0) {
    return tl_node_fail(scene->context, tl_tree_find(thing_node(def, repeated), "name"),
                        "two bodies or walls are called '%.60s'", thing_name(def, repeated));
  }
  return world < 0 ? TALUS_OK
                   : tl_node_fail(scene->context, tl_tree_find(thing_node(def, world), "name"),
                                  "the name 'world' is taken");
}

static talus_status index_links(talus_scene *scene, int32_t mechanism) {
  const tl_list *const links = &mechanism_at(scene, mechanism)->links;
  const tl_scene_link *const link = links->item;
  tl_names *const names = &scene->mechanism[mechanism].links;
  TL_TRY(tl_names_begin(&scene->arena, links->count, names));
  for (int32_t i = 0; i < links->count; i++) {
    tl_names_add(names, link[i].name, i);
  }
  const int32_t repeated = tl_names_sort(names), base = tl_names_find(names, "base");
  const int32_t taken = base >= 0 ? base : repeated;
  return taken < 0 ? TALUS_OK
                   : tl_node_fail(scene->context, tl_tree_find(link[taken].item.node, "name"),
                                  "the name '%.60s' is taken", link[taken].name);
}

static talus_status index_mechanisms(talus_scene *scene) {
  const int32_t count = scene->def.mechanisms.count;
  TL_TRY(tl_names_begin(&scene->arena, count, &scene->mechanisms));
  for (int32_t i = 0; i < count; i++) {
    TL_TRY(index_links(scene, i));
    tl_names_add(&scene->mechanisms, mechanism_at(scene, i)->name, i);
  }
  const int32_t repeated = tl_names_sort(&scene->mechanisms);
  return repeated < 0 ? TALUS_OK
                      : tl_node_fail(scene->context,
                                     tl_tree_find(mechanism_at(scene, repeated)->item.node, "name"),
                                     "two mechanisms are called '%.60s'",
                                     mechanism_at(scene, repeated)->name);
}

/* For each force the next one on the same body. */
static talus_status index_forces(talus_scene *scene) {
  const int32_t count = scene->def.forces.count;
  const tl_scene_force *const force = scene->def.forces.item;
  tl_names names;
  void *memory = NULL;
  TL_TRY(tl_arena_take(&scene->arena, (size_t)count, sizeof *scene->force, &memory));
  scene->force = memory;
  TL_TRY(tl_names_begin(&scene->arena, count, &names));
  for (int32_t i = 0; i < count; i++) {
    tl_names_add(&names, force[i].body, i);
    scene->force[i] = (tl_force_order){.first = 1, .next = -1};
  }
  tl_names_sort(&names);
  for (int32_t i = 1; i < names.count; i++) {
    const tl_name *const name = &names.name[i];
    if (strcmp(name[-1].text, name->text) == 0) {
      scene->force[name[-1].index].next = name->index;
      scene->force[name->index].first = 0;
    }
  }
  return TALUS_OK;
}

talus_status tl_scene_index(talus_scene *scene) {
  const tl_list *const materials = &scene->def.materials;
  TL_TRY(tl_names_begin(&scene->arena, materials->count, &scene->materials));
  for (int32_t i = 0; i < materials->count; i++) {
    tl_names_add(&scene->materials, ((const tl_scene_material *)materials->item)[i].item.name, i);
  }
  tl_names_sort(&scene->materials); /* keys of a map: none stands twice */
  TL_TRY(index_things(scene));
  TL_TRY(index_forces(scene));
  return index_mechanisms(scene);
}

/* ---- finding --------------------------------------------------------------------------------- */

talus_status tl_material_find(const talus_scene *scene, const tl_item *item, const char *name,
                              int32_t *material) {
  char nearest[96];
  *material = name != NULL ? tl_names_find(&scene->materials, name) : 0;
  if (*material >= 0) {
    return TALUS_OK;
  }
  *material = 0;
  if (scene->materials.count == 0 && strcmp(name, "default") == 0) { /* also when a stage sets it */
    return TALUS_OK;
  }
  const tl_node *at = tl_tree_find(item->node, "material");
  return tl_node_fail(scene->context, at != NULL ? at : item->node,
                      "no material is called '%.60s'%s", name,
                      tl_names_suggest(&scene->materials, name, nearest, sizeof nearest));
}

int32_t tl_link_named(const talus_scene *scene, int32_t mechanism, const char *name) {
  const tl_mechanism_made *const made = &scene->mechanism[mechanism];
  int32_t link = -1;
  const bool found = made->urdf != NULL ? talus_urdf_find_link(made->urdf, name, &link)
                                        : (link = tl_names_find(&made->links, name)) >= 0;
  return found ? link : strcmp(name, "base") == 0 ? -1 : -2;
}

/* A mechanism's name may have dots itself: each of them may be the one before the link. */
bool tl_link_find(const talus_scene *scene, const char *name, int32_t *mechanism, int32_t *link) {
  for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
    *mechanism = tl_names_find_part(&scene->mechanisms, name, (size_t)(dot - name));
    *link = *mechanism >= 0 ? tl_link_named(scene, *mechanism, dot + 1) : -1;
    if (*link >= 0) {
      return true;
    }
  }
  return false;
}

talus_status tl_name_check(const talus_scene *scene, const tl_node *node, const char *name) {
  int32_t mechanism, link;
  char nearest[96];
  if (tl_names_find(&scene->things, name) >= 0 || tl_link_find(scene, name, &mechanism, &link)) {
    return TALUS_OK;
  }
  return tl_node_fail(scene->context, node, "no body, wall or mechanism.link is called '%.60s'%s",
                      name, tl_names_suggest(&scene->things, name, nearest, sizeof nearest));
}

int32_t talus_scene_body_find(const talus_scene *scene, const char *name) {
  int32_t mechanism, link;
  if (scene == NULL || name == NULL || scene->body_id == NULL) {
    return TALUS_NONE;
  }
  const int32_t thing = tl_names_find(&scene->things, name), bodies = scene->def.bodies.count;
  if (thing >= 0) {
    return thing < bodies ? scene->body_id[thing] : scene->wall_id[thing - bodies];
  }
  return tl_link_find(scene, name, &mechanism, &link)
             ? scene->mechanism[mechanism].first_body + link
             : TALUS_NONE;
}

int32_t talus_scene_mechanism_find(const talus_scene *scene, const char *name) {
  const int32_t found =
      scene != NULL && name != NULL ? tl_names_find(&scene->mechanisms, name) : -1;
  return found >= 0 ? scene->mechanism[found].id : TALUS_NONE;
}

void tl_body_words(const talus_scene *scene, int32_t body, char *text, size_t capacity) {
  const tl_scene_definition *def = &scene->def;
  for (int32_t i = 0; i < def->walls.count; i++) {
    if (scene->wall_id[i] == body) {
      const char *name = ((const tl_scene_wall *)def->walls.item)[i].name;
      snprintf(text, capacity, "walls[%d]%s%.40s", (int)i, name != NULL ? " " : "",
               name != NULL ? name : "");
      return;
    }
  }
  for (int32_t i = 0; i < def->bodies.count; i++) {
    if (scene->body_id[i] == body) {
      const char *name = ((const tl_scene_body *)def->bodies.item)[i].name;
      snprintf(text, capacity, "bodies[%d]%s%.40s", (int)i, name != NULL ? " " : "",
               name != NULL ? name : "");
      return;
    }
  }
  for (int32_t i = 0; i < def->mechanisms.count; i++) {
    const int32_t link = body - scene->mechanism[i].first_body;
    if (link >= 0 && link < scene->mechanism[i].link_count) {
      snprintf(text, capacity, "mechanisms[%d] link %d", (int)i, (int)link);
      return;
    }
  }
  for (int32_t i = 0; i < def->grains.count && scene->grains_first != NULL; i++) {
    if (body >= scene->grains_first[i] && body < scene->grains_first[i + 1]) {
      snprintf(text, capacity, "grain %d of grains[%d]", (int)(body - scene->grains_first[i]),
               (int)i);
      return;
    }
  }
  snprintf(text, capacity, "grain %d", (int)(body - scene->grain_first));
}
