/* measure_define.h: what a scene says of measurements, as definitions of host/measure. */
#ifndef TL_SCENE_MEASURE_DEFINE_H
#define TL_SCENE_MEASURE_DEFINE_H

#include "host/measure/measure.h"
#include "host/scene/definition.h"

/* What the tables cannot say of output.measure; names of bodies are the caller's to check. Status:
 * FILE_FORMAT (place in the file and reason). */
talus_status tl_measure_check(talus_context *context, const tl_scene_definition *scene);

/* One measurement that was checked; body: the id of what it moves with, or TALUS_NONE. */
tl_measure_def tl_measure_define(const tl_scene_definition *scene, const tl_scene_measure *measure,
                                 int32_t body);

#endif
