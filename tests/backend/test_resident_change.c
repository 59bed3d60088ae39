/* test_resident_change.c: what a caller changes between steps of a world on a device reaches it
 * without the rest of the world, and bodies and contacts stay those of the CPU to the bit: bodies
 * that come and go, poses, velocities, forces, materials, shapes of another kind. And a device that
 * is lost while it makes a change. `quick`: fewer rounds. */
#include "host/world/resident.h"
#include "tests/backend/device_scenes.h"
#include "tests/scarce.h"

enum { ROUNDS = 8, QUICK_ROUNDS = 3, STEPS = 4 };

static int64_t load_count, change_count;

static const tl_world_backend *genuine;

static talus_status load_count_up(tl_resident *resident, const tl_resident_load *load) {
  load_count++;
  return genuine->load(resident, load);
}

static talus_status change_count_up(tl_resident *resident, const tl_resident_change *change) {
  change_count++;
  return genuine->change(resident, change);
}

static talus_status change_fails(tl_resident *resident, const tl_resident_change *change) {
  (void)resident;
  (void)change;
  return TALUS_DEVICE_ERROR;
}

static talus_status fetch_fails(tl_resident *resident, tl_body_motion *motion,
                                tl_resident_contacts *contacts) {
  (void)resident;
  (void)motion;
  (void)contacts;
  return TALUS_DEVICE_ERROR;
}

static talus_status change_finds_no_memory(tl_resident *resident,
                                           const tl_resident_change *change) {
  (void)resident;
  (void)change;
  return TALUS_OUT_OF_MEMORY;
}

/* The highest free body that there is, counted from the end. */
static int32_t body_back(const talus_world *world, int back) {
  int32_t found[256], count = 0;
  for (int32_t b = talus_body_after(world, TALUS_NONE); b != TALUS_NONE;
       b = talus_body_after(world, b)) {
    if (talus_body_kind(world, b) == TALUS_BODY_FREE) {
      found[count++] = b;
    }
  }
  CHECK(back < count);
  return found[count - 1 - back];
}

static void state_nudge(talus_world *world, int32_t body) {
  talus_body_state state;
  MUST(talus_body_get(world, body, &state));
  state.velocity[0] += 0.05;
  state.position[2] += 0.001;
  MUST(talus_body_set(world, body, &state));
}

/* A body of several shapes; of one where it is to be a ball. */
static void body_come(talus_world *world, scene_kind kind, int round) {
  const double x = 0.05 + 0.03 * (round % 3), z = 0.22 + 0.05 * (round % 2);
  if (scene_is_plain(kind)) {
    sphere_add(world, 0.02, x, world->def.plane ? 0 : 0.1, z);
    return;
  }
  talus_body_def def = talus_body_def_default();
  int32_t body;
  def.position[0] = x;
  def.position[1] = 0.08;
  def.position[2] = z;
  MUST(talus_body_add(world, &def, &body));
  shape_add(world, body, round % 2 ? TALUS_SHAPE_HULL : TALUS_SHAPE_BOX, -0.008);
  shape_add(world, body, TALUS_SHAPE_SPHERE, 0.012);
}

/* What happens before a round; some rounds read, add and remove at once. */
static void world_change(talus_world *world, scene_kind kind, int round) {
  const double force[3] = {round % 2 ? 0.3 : 0, 0, -0.1};
  switch (round % 8) {
  case 0:
    for (int i = 0; i < 3; i++) { /* more than there is room for */
      body_come(world, kind, i);
    }
    break;
  case 1:
    MUST(talus_body_remove(world, body_back(world, 5)));
    MUST(talus_body_remove(world, body_back(world, 0)));
    break;
  case 2:
    state_nudge(world, body_back(world, 3));
    MUST(talus_body_force(world, body_back(world, 2), force, NULL));
    break;
  case 3:
    MUST(talus_material_pair(world, 0, 0, 0.2, 0));
    break;
  case 4: { /* contacts are read between a removal and the next step */
    const talus_contact *contact;
    MUST(talus_body_remove(world, body_back(world, 7)));
    body_come(world, kind, round);
    CHECK(talus_world_contacts(world, &contact) > 0 || !scene_is_plain(kind));
    break;
  }
  case 5: /* comes and goes at once */
    body_come(world, kind, round);
    MUST(talus_body_remove(world, body_back(world, 0)));
    MUST(talus_body_force(world, body_back(world, 4), force, force));
    break;
  case 6:
    MUST(talus_body_force(world, body_back(world, 4), NULL, NULL));
    break;
  default: {
    talus_material_def def = talus_material_def_default();
    int32_t material;
    MUST(talus_material_add(world, &def, &material));
    body_come(world, kind, round);
    MUST(talus_body_remove(world, body_back(world, 6)));
  }
  }
}

static void steps_check(talus_world *a, talus_world *b, const char *name, int round) {
  for (int i = 0; i < STEPS; i++) {
    const talus_step_report p = world_step(a), q = world_step(b);
    CHECK_CASE(memcmp(&p, &q, sizeof p) == 0, "%s: round %d step %d: %d and %d contacts", name,
               round, i, p.contact_count, q.contact_count);
  }
  CHECK_CASE(round % 2 == 0 || same_state(a, b), "%s: round %d", name, round);
}

static void changes_check(scene_kind kind, int rounds) {
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 2);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = world_make(host, kind), *const b = world_make(device, kind);
  genuine = b->resident->backend;
  tl_world_backend counted = *genuine;
  counted.load = load_count_up;
  counted.change = change_count_up;
  b->resident->backend = &counted;
  load_count = change_count = 0;
  steps_check(a, b, scene_names[kind], -1);
  for (int round = 0; round < rounds; round++) {
    world_change(a, kind, round);
    world_change(b, kind, round);
    steps_check(a, b, scene_names[kind], round);
  }
  CHECK_CASE(same_state(a, b), "%s", scene_names[kind]);
  const int64_t refused = b->resident->refused_count; /* steps that the host made */
  printf("%s: %lld loads, %lld changes, %lld steps on the device, %lld refused\n",
         scene_names[kind], (long long)load_count, (long long)change_count,
         (long long)b->resident->step_count, (long long)refused);
  CHECK_CASE(load_count <= 1 + refused && change_count >= rounds - refused,
             "%s: loaded %lld times, changed %lld", scene_names[kind], (long long)load_count,
             (long long)change_count);
  CHECK(refused == 0 || (kind != BED && kind != DISKS));
  b->resident->backend = genuine;
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
}

/* A world of balls gets a box: contacts have other arrays, and the device the whole of it. */
static void kind_check(void) {
  talus_context *const host = context_open(TALUS_BACKEND_CPU, 1);
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const a = world_make(host, BED), *const b = world_make(device, BED);
  steps_check(a, b, "bed", 1);
  body_come(a, BOXES, 0);
  body_come(b, BOXES, 0);
  steps_check(a, b, "bed with a box", 1);
  MUST(talus_body_remove(a, body_back(a, 0)));
  MUST(talus_body_remove(b, body_back(b, 0)));
  steps_check(a, b, "bed without it", 1);
  CHECK(b->resident->step_count == 3 * STEPS && !b->resident->general);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
}

/* The device is lost, or has no memory, while it takes a change: the bodies are those that were
 * read before it, the new one among them; contacts that nobody had read are gone in the first
 * case. */
static void failures_check(void) {
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const world = world_make(device, BED);
  const talus_contact *contact;
  for (int i = 0; i < STEPS; i++) {
    world_step(world);
  }
  tl_world_backend failing = *world->resident->backend;
  world->resident->backend = &failing;
  const int32_t count = talus_world_contacts(world, &contact);
  failing.change = change_finds_no_memory;
  body_come(world, BED, 0);
  CHECK(talus_world_step(world, NULL) == TALUS_OUT_OF_MEMORY);
  CHECK(talus_world_contacts(world, &contact) == count && talus_world_steps(world) == STEPS);
  world_step(world); /* loaded anew */
  CHECK(world->resident->step_count == STEPS + 1);
  failing.change = change_fails;
  body_come(world, BED, 1);
  const int32_t bodies = talus_body_count(world);
  CHECK(talus_world_step(world, NULL) == TALUS_DEVICE_ERROR);
  CHECK(talus_world_steps(world) == STEPS + 1 && talus_body_count(world) == bodies);
  CHECK(talus_world_contacts(world, &contact) == 0);
  CHECK(strstr(talus_context_message(device), "without contacts") != NULL);
  talus_world_destroy(world);
  talus_context_destroy(device);
}

/* An oscillating plate stands in another slot once a lower body is gone: a device that is lost
 * before it hears of that, or when contacts are read for a step of the host's, leaves the poses of
 * all as they were, and that which the plate was given. */
static void moved_slots_check(bool cohesive) {
  talus_context *const device = context_open(TALUS_BACKEND_CUDA, 1);
  talus_world *const world = world_make(device, BED);
  talus_body_def plate = talus_body_def_default();
  talus_motion_def motion = talus_motion_def_default(TALUS_MOTION_SINUSOID);
  talus_body_state before[256], after[256], state;
  int32_t body;
  plate.type = TALUS_BODY_KINEMATIC;
  plate.position[2] = -1;
  motion.vector[0] = 0.01;
  motion.frequency = 5;
  MUST(talus_body_add(world, &plate, &body));
  MUST(talus_motion_add(world, body, &motion));
  body_come(world, BED, 0); /* behind it, in the slot that is its own after the removal */
  for (int i = 0; i < STEPS; i++) {
    world_step(world);
  }
  CHECK(world->resident->step_count == STEPS);
  MUST(talus_body_remove(world, body_back(world, 3)));
  MUST(talus_body_get(world, body, &state));
  state.position[1] = 0.01;
  MUST(talus_body_set(world, body, &state));
  const int32_t count = talus_body_capacity(world);
  CHECK(count <= 256);
  MUST(talus_bodies_get(world, count, before));
  tl_world_backend failing = *world->resident->backend;
  world->resident->backend = &failing;
  failing.change = change_fails;
  failing.fetch = fetch_fails;
  if (cohesive) { /* worlds with cohesion are the host's */
    talus_material_def sticky = talus_material_def_default();
    int32_t material;
    sticky.pull_off = 1e-6;
    MUST(talus_material_add(world, &sticky, &material));
  }
  CHECK(talus_world_step(world, NULL) == TALUS_DEVICE_ERROR);
  CHECK(talus_body_capacity(world) == count);
  MUST(talus_bodies_get(world, count, after));
  CHECK_CASE(memcmp(before, after, (size_t)count * sizeof *before) == 0, "%s",
             cohesive ? "before a step of the host's" : "in a change");
  talus_world_destroy(world);
  talus_context_destroy(device);
}

/* Memory of the host that is missing while a device takes a change: at each request in turn. */
static void memory_check(void) {
  enum { MOST = 40, COME = 3 };
  scarce memory = {0};
  talus_context_def def = talus_context_def_default();
  talus_context *device = NULL, *const host = context_open(TALUS_BACKEND_CPU, 1);
  def.backend = TALUS_BACKEND_CUDA;
  def.threads = 1;
  def.allocate = scarce_allocate;
  def.release = scarce_release;
  def.allocate_user = &memory;
  MUST(talus_context_create(&def, &device));
  talus_world *const a = world_make(host, BED), *const b = world_make(device, BED);
  int32_t failures = 0;
  bool failed = true;
  steps_check(a, b, "scarce memory", 0);
  for (int64_t n = 1; n <= MOST && failed; n++) {
    for (int i = 0; i < COME; i++) {
      body_come(a, BED, (int)n + i);
      body_come(b, BED, (int)n + i);
    }
    MUST(talus_body_remove(a, body_back(a, 7)));
    MUST(talus_body_remove(b, body_back(b, 7)));
    memory.fail_at = memory.requests + n;
    const talus_status status = talus_world_step(b, NULL);
    memory.fail_at = 0;
    failed = status == TALUS_OUT_OF_MEMORY;
    failures += failed;
    CHECK_CASE(failed || status == TALUS_OK, "request %d: %s", (int)n, talus_status_name(status));
    if (!failed) {
      world_step(a);
    }
    steps_check(a, b, "scarce memory", 1);
  }
  CHECK_CASE(failures > 0 && !failed, "%d requests", failures);
  talus_world_destroy(a);
  talus_world_destroy(b);
  talus_context_destroy(device);
  talus_context_destroy(host);
}

int main(int count, char **arguments) {
  const bool quick = count > 1 && strcmp(arguments[1], "quick") == 0;
  const scene_kind kinds[] = {BED, SOFT, DISKS, SHAKEN, BOXES, HULLS};
  for (size_t i = 0; i < (quick ? 1 : sizeof kinds / sizeof *kinds); i++) {
    changes_check(kinds[i], quick ? QUICK_ROUNDS : ROUNDS);
  }
  changes_check(HULLS, quick ? 2 : 2 * ROUNDS);
  kind_check();
  failures_check();
  moved_slots_check(false);
  moved_slots_check(true);
  memory_check();
  return check_end();
}
