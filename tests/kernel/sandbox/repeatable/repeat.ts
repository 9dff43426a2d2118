/** Runs a script in a sandbox with a seed, and digests all that it leaves. It needs nothing of Node. */
import * as Effect from "effect/Effect"
import { Sandbox } from "@sluice/shell/sandbox"
import { concatBytes, encodeUtf8 } from "../../../../src/base/bytes.ts"

/** A script, and the files that it finds in its working directory. */
export interface RepeatCase {
  readonly script: string
  readonly files: Readonly<Record<string, string>>
}

const cwd = "/project"
const env = { LC_ALL: "C.UTF-8", TZ: "UTC" }

/** Returns a digest of the outputs, the exit code, and all files with their modes and times. */
export const digestRun = async ({ files, script }: RepeatCase): Promise<string> => {
  const program = Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ files, cwd, env, seed: "repeatable" })
    const { exitCode, signal, stderrRaw, stdoutRaw } = yield* sandbox.run(script, { timeout: "60 seconds" })
    const end = encodeUtf8(JSON.stringify([exitCode, signal, stdoutRaw.length, stderrRaw.length]))
    return concatBytes([end, stdoutRaw, stderrRaw, yield* sandbox.snapshot])
  })
  const bytes = await Effect.runPromise(Effect.scoped(program))
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
