/* first_world.c: the smallest world: a block slides over a floor until friction has stopped it.
 *
 * The block is pushed off at v = 1 m/s; with friction mu it comes to rest after v / (mu g) seconds
 * and v^2 / (2 mu g) metres. At the end the floor carries its weight. Exit code 0 if that is what
 * came out. */
#include <math.h>
#include <stdio.h>
#include <talus/talus_world.h>

static const double speed = 1.0, friction = 0.4, gravity = 9.81;

/* The world, with a floor and a block on it. */
static talus_status build(talus_context *context, talus_world **world, int32_t *block) {
  int32_t material, floor, shape;
  talus_world_def def = talus_world_def_default();
  def.gravity[2] = -gravity;
  def.tolerance = 1e-6; /* of each step's contact solve */
  talus_status status = talus_world_create(context, &def, world);

  talus_material_def wood = talus_material_def_default();
  wood.density = 700; /* kg/m3 */
  wood.friction = friction;
  if (status == TALUS_OK) {
    status = talus_material_add(*world, &wood, &material);
  }

  talus_body_def body = talus_body_def_default();
  talus_shape_def half_space = talus_shape_def_default(TALUS_SHAPE_HALFSPACE);
  body.type = TALUS_BODY_FIXED;
  if (status == TALUS_OK) {
    half_space.material = material;
    status = talus_body_add(*world, &body, &floor);
  }
  if (status == TALUS_OK) {
    status = talus_shape_add(*world, floor, &half_space, &shape);
  }

  talus_shape_def box = talus_shape_def_default(TALUS_SHAPE_BOX);
  body.type = TALUS_BODY_FREE;
  body.position[2] = 0.05; /* its centre, m */
  body.velocity[0] = speed;
  if (status == TALUS_OK) {
    box.material = material;
    box.half_edge[0] = 0.1; /* m */
    box.half_edge[1] = 0.1;
    box.half_edge[2] = 0.05;
    status = talus_body_add(*world, &body, block);
  }
  if (status == TALUS_OK) {
    status = talus_shape_add(*world, *block, &box, &shape);
  }
  return status;
}

/* The force between the floor and the block in the last step, N. */
static double carried(const talus_world *world, double step) {
  const talus_contact *contact;
  const int32_t count = talus_world_contacts(world, &contact);
  double sum = 0.0;
  for (int32_t i = 0; i < count; i++) {
    sum += fabs(contact[i].impulse[2]) / step;
  }
  return sum;
}

static talus_status run(talus_world *world, int32_t block) {
  talus_status status = TALUS_OK;
  talus_step_report report = talus_step_report_default();
  while (status == TALUS_OK && talus_world_time(world) < 0.3) {
    status = talus_world_step(world, &report);
    if (status == TALUS_OK && report.step % 50 == 0) {
      talus_body_state state;
      status = talus_body_get(world, block, &state);
      printf("t = %4.2f s: x = %.4f m, %7.4f m/s, %d contacts, epsilon %.0e\n", report.time,
             state.position[0], state.velocity[0], (int)report.contact_count, report.epsilon);
    }
  }
  return status;
}

int main(void) {
  talus_context *context = NULL;
  talus_world *world = NULL;
  talus_body_state state = {0};
  int32_t block = TALUS_NONE;
  talus_status status = talus_context_create(NULL, &context);
  if (status == TALUS_OK) {
    status = build(context, &world, &block);
  }
  if (status == TALUS_OK) {
    status = run(world, block);
  }
  if (status == TALUS_OK) {
    status = talus_body_get(world, block, &state);
  }
  if (status != TALUS_OK) {
    fprintf(stderr, "%s\n", context ? talus_context_message(context) : talus_status_text(status));
    talus_world_destroy(world);
    talus_context_destroy(context);
    return 1;
  }

  const double way = speed * speed / (2 * friction * gravity);
  const double weight = talus_body_mass(world, block) * gravity;
  const double force = carried(world, talus_world_def_default().step);
  printf("stopped at %.4f m (v^2 / 2 mu g = %.4f m); the floor carries %.2f N of %.2f N\n",
         state.position[0], way, force, weight);
  talus_world_destroy(world);
  talus_context_destroy(context);
  const int right = fabs(state.position[0] - way) < 1e-3 && fabs(state.velocity[0]) < 1e-3 &&
                    fabs(force - weight) < 0.01 * weight;
  return right ? 0 : 1;
}
