/* talus.h: everything. An offloading simulator needs talus_solve.h alone. */
#ifndef TALUS_H
#define TALUS_H
#include "talus_base.h"
#include "talus_gradient.h"
#include "talus_io.h"
#include "talus_mechanism.h"
#include "talus_ranks.h"
#include "talus_scene.h"
#include "talus_solve.h"
#include "talus_urdf.h"
#include "talus_world.h"
#endif
