/** Implements the `mkfifo` utility, which makes FIFOs. */
import { changeMode } from "../../modes.ts"
import type { Program } from "../../System.ts"
import { defineUtility } from "../shared/defineUtility.ts"

/** `mkfifo [-m MODE] NAME...`: makes FIFOs. Source: mkfifo(1). */
export const mkfifo: Program = defineUtility("mkfifo", "m|mode:", (io) => {
  const text = io.value("m")
  const mode = text === undefined ? undefined : changeMode(text, 0o666, false, io.system.umask()) ??
    io.fail(`invalid mode`)
  for (const path of io.operands) {
    const made = io.system.makeFifo(path)
    if (made < 0) io.warn(`cannot create fifo '${path}'`, made)
    else if (mode !== undefined) io.system.setMode(path, mode)
  }
}, { minOperands: 1 })
