/** Runs scripts by a real bash, in the enclosure, each in a folder of its own. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Answer, Item } from "./job.ts"
import { enclosure, type Folders, systemProgram } from "./traced.ts"

/** `$1`: the place, `$2`: where scripts are and results go, `$3`: seconds, `$4`: the script. */
const driver = `cd "$1/$4" && timeout -k 1 "$3" bash -c "$(cat "$2/$4")" bash \
  </dev/null >"$2/$4.stdout" 2>"$2/$4.stderr"; echo $? >"$2/$4.status"`

const answerOf = (desk: string, id: string): Answer => {
  const read = (kind: string): string => {
    const file = join(desk, `${id}.${kind}`)
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }
  const status = Number(read("status"))
  const output = { stdout: read("stdout"), stderr: read("stderr") }
  // 124: it took too long; 137: it did not end even then.
  return status === 124 || status === 137
    ? { id, outcome: "failed", fault: "Timeout", ...output }
    : { id, outcome: "ran", status, ...output }
}

/** What bash made of each script. The folders of the items are in `place` already. */
export const runInBash = (
  place: string,
  items: ReadonlyArray<Item>,
  folders: Folders,
  environment: Readonly<Record<string, string>>,
  seconds = 5,
): ReadonlyMap<string, Answer> => {
  const desk = realpathSync(mkdtempSync(join(tmpdir(), "sluice-bash-")))
  try {
    for (const { id, script = "" } of items) writeFileSync(join(desk, id), script)
    const [program = "", ...words] = enclosure([...folders, ["write", desk, desk]], environment)
    const each = ["/bin/sh", "-c", driver, "sh", place, desk, String(seconds)]
    const { status, stderr } = spawnSync(
      systemProgram(program),
      [...words, "/usr/bin/xargs", "-P", "4", "-n", "1", ...each],
      { input: items.map(({ id }) => `${id}\n`).join(""), encoding: "utf8" },
    )
    if (status !== 0) throw new Error(`bash: ${stderr}`)
    return new Map(items.map(({ id }) => [id, answerOf(desk, id)]))
  } finally {
    rmSync(desk, { recursive: true, force: true })
  }
}
