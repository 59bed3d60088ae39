/* test_pairs_convex.c: random pairs of convex shapes, judged by support functions of their own.
 *
 * Along the reported normal the shapes must be exactly as far apart as the smallest gap says (a
 * little less far where the normal is that of a face instead of an edge's a fiftieth away from it);
 * no other direction may separate them (much) more; swapping the shapes turns the normal round. */
#include "tests/collide/shapes.h"

enum { KINDS = 7, TRIALS = 400, DIRECTIONS = 3000 };

static talus_context *context;
static int exact_count, polyhedra_count;

static double smallest(const found *f) {
  double least = INFINITY;
  for (int k = 0; k < f->count; k++) {
    least = fmin(least, f->point[k].gap);
  }
  return least;
}

/* The best separation among many directions, improved by small steps: a lower bound of the true
 * (signed) distance. */
static double best_apart(const tl_collider *a, const tl_collider *b) {
  double best = -INFINITY, at[3] = {0, 0, 1};
  for (int k = 0; k < DIRECTIONS; k++) {
    double d[3];
    random_direction(d);
    const double here = apart(a, b, d);
    if (here > best) {
      best = here;
      memcpy(at, d, sizeof d);
    }
  }
  double step = 0.1;
  for (int k = 0; k < 600; k++) {
    double d[3], tried[3];
    random_direction(d);
    double length = 0;
    for (int i = 0; i < 3; i++) {
      tried[i] = at[i] + step * d[i];
      length += tried[i] * tried[i];
    }
    for (int i = 0; i < 3; i++) {
      tried[i] /= sqrt(length);
    }
    const double here = apart(a, b, tried);
    if (here > best) {
      best = here;
      memcpy(at, tried, sizeof at);
    } else if (k % 8 == 7) {
      step *= 0.85;
    }
  }
  return best;
}

/* Midway in the gap: half of it from either shape's surface, as far as the normal tells. */
static int lies_between(const tl_contact_point *t, const tl_collider *a, const tl_collider *b) {
  const double back[3] = {-t->normal[0], -t->normal[1], -t->normal[2]};
  const double here = dot(t->normal, t->position);
  return here <= reach(a, t->normal) + 0.5 * t->gap + 1e-9 &&
         -here <= reach(b, back) + 0.5 * t->gap + 1e-9;
}

static void check_pair(const tl_collider *a, const tl_collider *b, int exact, const char *what) {
  const found f = meet(a, b);
  const double margin = a->margin + b->margin, bound = best_apart(a, b);
  CHECK(f.status == TALUS_OK && f.count <= 8);
  if (f.count == 0) {
    /* nothing found: some direction separates them by the margin, up to the search's coarseness */
    CHECK_CASE(bound > margin * 0.97, "%s: nothing, but sampling gives %g", what, bound);
    return;
  }
  const double gap = smallest(&f), along = apart(a, b, f.point[0].normal);
  CHECK_CASE(along <= gap + 1e-9 && along >= gap - 0.04, "%s: gap %.12g, along the normal %.12g",
             what, gap, along);
  polyhedra_count += exact;
  exact_count += exact && fabs(along - gap) <= 1e-9;
  CHECK_CASE(bound <= gap + 1e-3 + 0.03 * fabs(gap), "%s: gap %.9g, sampling gives %.9g", what, gap,
             bound);
  for (int k = 0; k < f.count; k++) {
    CHECK_CLOSE(dot(f.point[k].normal, f.point[k].normal), 1, 1e-12);
    CHECK_CASE(lies_between(&f.point[k], a, b), "%s: point %d of %d, gap %g", what, k, f.count,
               f.point[k].gap);
    for (int j = 0; j < k; j++) {
      CHECK(f.point[j].feature != f.point[k].feature);
    }
  }
  const found back = meet(b, a);
  CHECK_CASE(back.count == f.count, "%s: %d points, swapped %d", what, f.count, back.count);
  if (back.count > 0) {
    CHECK_CASE(fabs(smallest(&back) - gap) < 1e-4 + 1e-4 * fabs(gap), "%s: gap %.9g, swapped %.9g",
               what, gap, smallest(&back));
    CHECK_CASE(dot(back.point[0].normal, f.point[0].normal) < -0.99 || gap < -0.05,
               "%s: gap %.9g, normals %g", what, gap, dot(back.point[0].normal, f.point[0].normal));
  }
}

int main(void) {
  context = new_context();
  tl_geometry *const kind[KINDS] = {make_box(context, 0.6, 0.9, 0.7),
                                    make_round(context, TALUS_SHAPE_CAPSULE, 0.3, 0.8),
                                    make_round(context, TALUS_SHAPE_CYLINDER, 0.6, 0.8),
                                    make_random_hull(context, 12, 1, 0.8, 0.9),
                                    make_random_hull(context, 60, 0.9, 0.7, 1),
                                    make_sphere(context, 0.8),
                                    make_round(context, TALUS_SHAPE_CYLINDER, 1, 0.3)};
  static const char *const name[KINDS] = {"box",     "capsule", "cylinder", "hull 12",
                                          "hull 60", "sphere",  "disk"};
  int overlapping = 0, apart_count = 0;
  for (int i = 0; i < KINDS; i++) {
    for (int j = i; j < KINDS; j++) {
      const int round =
          kind[i]->kind == TALUS_SHAPE_CYLINDER || kind[j]->kind == TALUS_SHAPE_CYLINDER;
      char what[64];
      for (int k = 0; k < TRIALS / KINDS; k++) {
        tl_collider a = collider_at(kind[i], random_pose(0.2), 0.1);
        tl_collider b = collider_at(kind[j], random_pose(0.2), 0.15);
        double d[3];
        random_direction(d);
        /* moved out along d until about to part: overlaps of up to a tenth, gaps of up to 0.3 */
        const double wanted = between(-0.12, 0.3);
        const double shift = wanted - apart(&a, &b, d);
        for (int n = 0; n < 3; n++) {
          b.pose.position[n] += shift * d[n];
        }
        snprintf(what, sizeof what, "%s %s %d", name[i], name[j], k);
        check_pair(&a, &b, !round, what);
        overlapping += wanted < 0;
        apart_count += wanted > 0;
      }
    }
  }
  CHECK_CASE(exact_count > 0.92 * polyhedra_count, "%d of %d", exact_count, polyhedra_count);
  CHECK(overlapping > 100 && apart_count > 100);
  for (int i = 0; i < KINDS; i++) {
    tl_geometry_destroy(context, kind[i]);
  }
  CHECK(context->bytes == 0);
  talus_context_destroy(context);
  return check_end();
}
