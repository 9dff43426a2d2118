/** Reads 100 MB from a terminal with pauses; prints what came, and how much memory grew. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { findHost } from "../../../src/host/findHost.ts"
import { resolveLocalSettings } from "../../../src/leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../../../src/leaves/local/makeLocalService.ts"

const [, , bytes = "0"] = process.argv
const host = findHost()
if (host === undefined) throw new Error("no host")
const shell = makeLocalShell(host, resolveLocalSettings({}))

let [count, pauses, before, peak] = [0, 0, 0, 0]
const script = `stty -opost; exec head -c ${bytes} /dev/zero`
const last = await Effect.runPromise(
  shell.bytes(ShellExec.make("/bin/sh", ["-c", script]), { terminal: { cols: 80, rows: 24 }, stdin: Stream.never })
    .pipe(
      Stream.tap((event) =>
        Effect.suspend(() => {
          if (event._tag !== "ShellBytes") return Effect.void
          count += event.bytes.length
          if (count < pauses * 10_000_000) return Effect.void
          pauses++
          const now = process.memoryUsage.rss()
          // What a runtime allocates at its start is no growth.
          if (pauses <= 2) before = now
          peak = Math.max(peak, now - before)
          return Effect.sleep(100)
        })
      ),
      Stream.runLast,
    ),
)
const exitCode = last._tag === "Some" && last.value._tag === "ShellOutput" ? last.value.exitCode : -1
console.log(JSON.stringify({ count, exitCode, growth: peak }))
