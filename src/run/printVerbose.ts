/** Prints the command lines of verbose commands before their start. */
import type { Stage } from "./Stage.ts"

export const printVerbose = (stages: ReadonlyArray<Stage>): void => {
  for (const { line, options: { verbose } } of stages) if (verbose === true) console.error(`$ ${line}`)
}
