/** Rows of the tables: what is measured, how often, and how it is shown. */
import { commands } from "./plans/commands.ts"
import { endings } from "./plans/endings.ts"
import { journals } from "./plans/journals.ts"
import { servers } from "./plans/servers.ts"
import { starts } from "./plans/starts.ts"
import type { Plan } from "./RowPlan.ts"

export type { Case, Plan } from "./RowPlan.ts"

/** All rows, in the order of the report. */
export const plans: ReadonlyArray<Plan> = [
  ...commands,
  ...starts,
  ...servers,
  ...journals,
  ...endings,
]
