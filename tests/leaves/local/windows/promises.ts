/**
 * All that the leaf promises on Windows, in the order in which it is looked at.
 */
import { ending } from "./ending.ts"
import { finding } from "./finding.ts"
import { parents } from "./parents.ts"
import { portable } from "./portable.ts"
import type { WindowsPromise } from "./promise.ts"
import { quoting } from "./quoting.ts"
import { running } from "./running.ts"
import { spawning } from "./spawning.ts"

export const promises: ReadonlyArray<WindowsPromise> = [
  ...running,
  ...quoting,
  ...finding,
  ...ending,
  ...parents,
  ...spawning,
  ...portable,
]
