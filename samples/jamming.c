/* jamming.c: beads pressed together from all sides jam (samples/scenes/compression.yaml).
 *
 * Without friction at a packing fraction of 0.64 with six contacts a bead (O'Hern, Silbert, Liu and
 * Nagel 2003: 0.639 +- 0.001 for equal spheres, 2 D = 6 at jamming). With friction earlier: from
 * 0.55, random loose packing (Onoda and Liniger 1990), to 0.60, and with fewer contacts, down to
 * D + 1 = 4. Expected: 0.62 to 0.655 (the cell is small, the beads differ by 10 %, and 100 Pa press
 * them a little beyond), 5.6 to 6.4 contacts of beads that are held; with friction 0.5 0.55 to
 * 0.615 and 4 to 5.2. Contacts are counted among beads that carry force. Quick: 120 beads, without
 * friction. */
#include "sample.h"

static const char *const HELP = "jamming [--full] [--set KEY=VALUE]\n"
                                "Isotropic compression (samples/scenes/compression.yaml)";
enum { MOST = 4096 };

typedef struct packing {
  double fraction, contacts, rattlers;
} packing;

/* Contacts with a force of each body; those with fewer than `least` are taken away, until none is
 * left. Returns the mean of the others. */
static double contacts_of(const sample_run *run, int least, double *rattlers) {
  static int count[MOST], gone[MOST];
  const talus_contact *contact = NULL;
  const int32_t n = talus_world_contacts(run->world, &contact),
                all = talus_body_capacity(run->world);
  int32_t held = 0, left = 0, lost = 1;
  memset(gone, 0, sizeof gone);
  while (lost > 0) {
    memset(count, 0, sizeof count);
    for (int32_t k = 0; k < n; k++) {
      const int32_t a = contact[k].body_a, b = contact[k].body_b;
      const double *const x = contact[k].impulse;
      if (a < MOST && b < MOST && !gone[a] && !gone[b] && (x[0] != 0 || x[1] != 0 || x[2] != 0)) {
        count[a]++;
        count[b]++;
      }
    }
    lost = held = left = 0;
    for (int32_t i = 0; i < all && i < MOST; i++) {
      if (sample_moves(run, i) && !gone[i]) {
        gone[i] = count[i] < least;
        lost += gone[i];
        left++;
        held += count[i];
      }
    }
  }
  *rattlers =
      1 - (double)left / (talus_body_count(run->world) > 0 ? talus_body_count(run->world) : 1);
  return (double)held / left;
}

static packing press(double friction, double edge, const sample_options *options) {
  char own[192];
  talus_cell cell = talus_cell_default();
  packing p;
  double volume = 0;
  snprintf(own, sizeof own, "materials.bead.friction=%g cell.upper=[%gcm,%gcm,%gcm]", friction,
           edge, edge, edge);
  sample_run run = sample_open("compression", own, options);
  sample_advance(&run, talus_scene_end(run.scene));
  TRY(talus_world_cell(run.world, &cell));
  for (int32_t i = 0; i < talus_body_capacity(run.world); i++) {
    volume += sample_moves(&run, i) ? talus_body_mass(run.world, i) / 2500 : 0;
  }
  p.fraction = volume / (cell.edge[0] * cell.edge[1] * cell.edge[2]);
  p.contacts = contacts_of(&run, friction > 0 ? 2 : 4, &p.rattlers);
  printf("  friction %g, %d beads: packing fraction %.4f, %.2f contacts, %.1f %% rattlers\n",
         friction, talus_body_count(run.world), p.fraction, p.contacts, 100 * p.rattlers);
  fflush(stdout);
  sample_close(&run);
  return p;
}

int main(int argc, char **argv) {
  const sample_options options = sample_begin(argc, argv, HELP);
  sample_head();
  const packing smooth = press(0, options.full ? 6.5 : 3.7, &options);
  sample_expect("no friction: packing fraction (0.64)", smooth.fraction, options.full ? 0.62 : 0.6,
                0.655);
  sample_expect("its contacts a bead (6)", smooth.contacts, 5.6, 6.4);
  if (options.full) {
    const packing rough = press(0.5, 6.5, &options);
    sample_expect("friction 0.5: packing fraction (0.55-0.6)", rough.fraction, 0.55, 0.615);
    sample_expect("its contacts a bead (4)", rough.contacts, 4, 5.2);
  }
  return sample_end();
}
