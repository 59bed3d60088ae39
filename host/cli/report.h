/* report.h: says what a problem is and what impulses are worth, for people and as JSON.
 *
 * Shared by `solve` and `check`, so that both call the same thing by the same name. */
#ifndef TL_REPORT_H
#define TL_REPORT_H

#include "host/cli/json.h"
#include "talus/talus.h"

/* The line "problem ...", and the JSON keys contacts, dimension, bilateral_rows, form, title. */
void tl_report_problem(const char *file, const talus_stored *stored);
void tl_report_problem_json(tl_json *json, const char *file, const talus_stored *stored);

/* The certificate as a small table of both laws; as JSON keys. siconos_error is that of the law. */
void tl_report_certificate(const talus_certificate *certificate, int bilateral_count,
                           talus_cone cone);
void tl_report_certificate_json(tl_json *json, const talus_certificate *certificate, talus_law law);

/* What is compared with the tolerance. */
double tl_report_measure(const talus_certificate *certificate, talus_law law,
                         talus_measure measure);

/* One line per note of an info; a JSON array "notes". */
void tl_report_notes(const talus_info *info);
void tl_report_notes_json(tl_json *json, const talus_info *info);

#endif
