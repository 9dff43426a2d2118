/** Loads `@sqlite.org/sqlite-wasm`, an optional npm package, and makes an engine of its own for a process. */
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { type Engine, parseEngine } from "./Engine.ts"

export const loadSqlite = async (): Promise<Engine> => {
  let init: unknown
  try {
    init = (await import("@sqlite.org/sqlite-wasm")).default
  } catch {
    throw new UtilityExit(
      127,
      "the npm package @sqlite.org/sqlite-wasm could not be loaded; install it: npm install @sqlite.org/sqlite-wasm",
    )
  }
  if (typeof init !== "function") {
    throw new UtilityExit(127, "the npm package @sqlite.org/sqlite-wasm is of another version than ^3.50")
  }
  const quiet = (): void => undefined
  return parseEngine(await init({ print: quiet, printErr: quiet }))
}
