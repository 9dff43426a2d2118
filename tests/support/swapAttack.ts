/** Attacks a file system with a process that swaps a folder with a link to one outside of the root, in a loop. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import type { Files } from "../../src/leaves/files/mod.ts"

/** Milliseconds that each attack lasts; the minute is run by hand. */
const attackMillis = Number(process.env["SLUICE_ATTACK_MILLIS"] ?? 500)

/** Whether the program that swaps can be made. */
export const canSwap = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0

interface Attack {
  /** The folder that is swapped, below the root. */
  readonly swapped: string
  readonly layer: (rootPath: string) => Layer.Layer<Files, unknown>
  readonly use: Effect.Effect<unknown, never, Files>
  /** Whether enough was seen inside; on a busy machine the attack lasts longer for it. */
  readonly isEnough?: () => boolean
}

/** What is outside after an attack. */
interface Outside {
  readonly files: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
}

/** Uses a file system as long as the attack lasts; gives what is outside of its root then. */
export const swapAttack = async (
  name: string,
  { isEnough = () => true, layer, swapped, use }: Attack,
): Promise<Outside> => {
  const link = "link"
  const place = mkdtempSync(join(tmpdir(), "sluice-swapped-"))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const swap = join(place, "swap")
  spawnSync("cc", ["-O2", "-o", swap, fileURLToPath(new URL("./swap.c", import.meta.url))])
  const rootPath = join(place, "root")
  const outside = join(place, "outside")
  mkdirSync(join(rootPath, "a/b"), { recursive: true })
  mkdirSync(join(outside, "b"), { recursive: true })
  for (const path of ["f", "b/f"]) {
    writeFileSync(join(outside, path), "THE SECRET")
    writeFileSync(join(rootPath, "a", path), "inside")
  }
  symlinkSync(outside, join(rootPath, link))
  const child: ChildProcess = spawn(swap, [join(rootPath, swapped), join(rootPath, link)], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  let swaps = ""
  child.stdout?.on("data", (data) => swaps += String(data).trim())
  const gone = new Promise((resolve) => child.once("close", resolve))
  let rounds = 0
  try {
    const end = Date.now() + attackMillis
    const loop = Effect.gen(function* () {
      for (; Date.now() < end || (!isEnough() && Date.now() < end + 30_000); rounds++) yield* use
    })
    await Effect.runPromise(Effect.provide(loop, layer(rootPath)))
  } finally {
    child.stdin?.end()
    await gone
  }
  if (process.env["SLUICE_ATTACK_MILLIS"] !== undefined) {
    // The counts are the result of a run by hand.
    console.log(`${name}: ${rounds} rounds, ${swaps} exchanges`)
  }
  const files = readdirSync(outside, { recursive: true }).map(String).sort()
  return { files, texts: ["f", "b/f"].map((path) => readFileSync(join(outside, path), "utf8")) }
}

/** What was outside before. */
export const untouched: Outside = { files: ["b", "b/f", "f"], texts: ["THE SECRET", "THE SECRET"] }
