/* round.h: methods for the circular cone: plans of phases, carried out by a backend. */
#ifndef TL_SMALL_ROUND_H
#define TL_SMALL_ROUND_H

#include "host/method/small/small.h"

enum { TL_ROUND_PHASES = 6 };

/* The phases of a method until epsilon <= target; returns how many. */
int32_t tl_round_plan(const talus_settings *settings, double target, tl_small_phase *plan);
/* Whether the phases of the method are for this problem: interior points want W symmetric. */
bool tl_round_takes(const tl_small *small, const talus_settings *settings);
/* The problem as the backends know it; its arrays are those of `small`. */
tl_small_problem tl_round_item(const tl_small *small);
/* Numbers of scratch it needs on the CPU. */
size_t tl_round_room(const tl_small *small);
/* The same if others are to lie beside it. */
size_t tl_round_rooms(const tl_small_problem *item);
/* Solves it on the CPU, from small->best on; or takes what was found before (run->found). */
talus_status tl_round_solve(tl_small *small, tl_run *run, double target);
/* The same to the target of the settings: a method of the table. */
talus_status tl_phases_solve(tl_small *small, tl_run *run);

/* ---- attempts of `auto` and of interior_point, from the impulses kept in the engine ---------- */

/* mncp_prox, its first phases. */
talus_status tl_mncp_attempt(tl_run *run, bool *done);
/* mncp_prox from where the engine's sweeps have led. */
talus_status tl_mncp_near_attempt(tl_run *run, bool *done);
/* The phases that tl_mncp_attempt leaves out. */
talus_status tl_mncp_rest_attempt(tl_run *run, bool *done);
/* interior_point with W written out, convex law. */
talus_status tl_barrier_attempt(tl_run *run, bool *done);
/* islands.c: groups of contacts that share no body that moves, each for itself. */
talus_status tl_islands_attempt(tl_run *run, bool *done);

#endif
