/* siconos_text.h: contact problems in Siconos' text format (.dat).
 *
 *   local   dimension contacts <W> q mu              u = W r + q
 *   global  dimension contacts <M> <H> q b mu        M v = q + H r, u = H^T v + b
 *   matrix  storage rows columns, then
 *     0  rows columns again, the numbers column by column
 *     1  blocks: how many, block rows, block columns, the last row + 1 of each block row, the same
 *        for columns, length of index1 and index2, both (block rows compressed), then each block:
 *        its number, its numbers column by column
 *     2  origin (1 triplets, 2 by columns, 3 by rows), a banner line, a line with the sizes,
 * entries Nothing tells local from global but the sizes. Some files end with a flag, which is
 * skipped. Contacts that give way are beyond the format: behind mu stand the word talus-compliance
 * and C_n, C_t of each contact, then, if there are any, talus-target and the target impulses;
 * Siconos, which reads no further than mu, takes such a problem for a rigid one. */
#ifndef TL_SICONOS_TEXT_H
#define TL_SICONOS_TEXT_H

#include "host/io/output_file.h"
#include "host/io/stored.h"
#include "host/io/text_file.h"

/* Fills stored->problem. Statuses: FILE_OPEN, FILE_FORMAT with file and line, OUT_OF_MEMORY. */
talus_status tl_siconos_read(talus_stored *stored, const char *path);

/* One matrix. Scratch arrays come from `scratch`. */
talus_status tl_siconos_read_matrix(tl_text *text, talus_stored *stored, talus_stored *scratch,
                                    const char *name, talus_matrix *matrix);

/* Writes a checked problem of form DELASSUS or GLOBAL without bilateral rows: dense matrices as
 * storage 0, sparse ones as 1 (W) or 2 (M and H). */
talus_status tl_siconos_write(talus_stored *scratch, tl_output *output,
                              const talus_problem *problem);

#endif
