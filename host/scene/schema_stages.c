/* schema_stages.c: one after the other, what changes during a run. */
#include "host/scene/schema_rows.h"

#define ROW_STRUCT tl_scene_condition
static const tl_key rows_condition[] = {
    PLAIN(TEXT, "column", column, NULL, 0, "of scalars.csv: `kinetic`, `strain_zz` ..."),
    PLAIN(NODE, "above", above, "", 0, "it has to be larger; bare numbers are in SI"),
    PLAIN(NODE, "below", below, "", 0, "it has to be smaller; with `above`: between the two"),
};
SCHEMA(condition, "until", NULL, "A list of conditions that have to hold together.");
#undef ROW_STRUCT

#define ROW_STRUCT tl_scene_stage
static const tl_key rows_stage[] = {
    PLAIN(TEXT, "name", name, "", 0, "for messages and `--set`"),
    REAL("time", time, TIME, NULL, ABOVE_0, 0,
         "how long it takes; with `until`: at most, since a condition may never come true"),
    TABLE(LIST, "until", until, tl_schema_condition, "", 0, "ends it earlier"),
    REAL("hold", hold, TIME, "0", FROM_0, 0, "for so long the conditions have to hold"),
    REAL("check", check, TIME, "0", FROM_0, 0, "how often they are looked at; 0: every 10 steps"),
    CHOICE("late", late, "continue|stop", "continue", 0,
           "conditions that did not come true in time: go on to the next stage, or end the run; "
           "either is told"),
    PLAIN(NODE, "set", set, "", 0,
          "what it changes, by the keys of this file: `{materials.bead.friction: 0.5, cell.servo: "
          "[x, y]}`"),
};
SCHEMA(
    stage, "stages", NULL,
    "A list: what happens one after the other. What a stage sets stays for the later ones. It may "
    "set materials (not their density), `pairs`, `forces`, of the `cell` rates, servos and "
    "stresses, of walls and bodies `motions` and `servo` (`~` takes it away), of inlets `rate`, "
    "`limit`, `begin` and `end`, of outlets `begin` and `end`, of `world` gravity, law, method, "
    "tolerances. Times in motions that it sets count from its beginning. The run ends with the "
    "last stage. How to: [run in stages](../how-to/stages.md).");
#undef ROW_STRUCT
