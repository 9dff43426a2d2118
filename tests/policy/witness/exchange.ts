/** Exchanges a folder below a root with a link to one outside, as fast as another process can, while scripts run. */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const secret = "THE SECRET"
export const outsideName = "only-outside"

export interface Exchange {
  readonly root: string
  readonly outside: string
  /** Ends the swapper; how often it exchanged them. */
  readonly stop: () => Promise<number>
  /** What is outside, with what is in it: to be compared. */
  readonly state: () => Readonly<Record<string, string>>
  readonly remove: () => void
}

const contents = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs.readdirSync(folder, { recursive: true }).map(String).sort().map((name) => {
      const path = join(folder, name)
      return [name, name.endsWith("inner") ? "folder" : fs.readFileSync(path, "utf8")]
    }),
  )

/** `root/d` is a folder, `root/link` a link to `outside`, which has the same names; the swapper exchanges the two. */
export const startExchange = (): Exchange => {
  const place = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sluice-exchanged-")))
  const [root, outside] = [join(place, "root"), join(place, "outside")]
  for (
    const [folder, text, own] of [[join(root, "d"), "inside", "only-inside"], [outside, secret, outsideName]] as const
  ) {
    fs.mkdirSync(join(folder, "inner"), { recursive: true })
    for (const name of ["f", "g", "inner/f", own]) fs.writeFileSync(join(folder, name), `${text}\n`)
  }
  fs.symlinkSync(outside, join(root, "link"))
  // A file and a link to one outside, exchanged as well.
  fs.writeFileSync(join(root, "file"), "inside\n")
  fs.symlinkSync(join(outside, "f"), join(root, "fileLink"))
  const swap = join(place, "swap")
  const { status, stderr } = spawnSync("cc", [
    "-O2",
    "-o",
    swap,
    fileURLToPath(new URL("../../support/swap.c", import.meta.url)),
  ])
  if (status !== 0 || !fs.existsSync(swap)) throw new Error(`no swapper: ${stderr}`)
  const swappers = [["d", "link"], ["file", "fileLink"]].map((names) =>
    spawn(swap, names.map((name) => join(root, name)), { stdio: ["pipe", "pipe", "inherit"] })
  )
  let output = ""
  for (const { stdout } of swappers) stdout.on("data", (data) => void (output += String(data)))
  const gone = swappers.map((child) => new Promise<void>((resolve) => child.once("close", () => resolve())))
  return {
    root,
    outside,
    stop: async () => {
      for (const { stdin } of swappers) stdin.end()
      await Promise.all(gone)
      return output.trim().split("\n").reduce((sum, count) => sum + Number(count), 0)
    },
    state: () => contents(outside),
    remove: () => fs.rmSync(place, { recursive: true, force: true }),
  }
}
