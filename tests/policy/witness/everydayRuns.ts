/** Runs the scripts of every day behind a policy and by bash, in equal folders, and compares what came of them. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bounded, everyday, interpreters } from "../everydayScripts.ts"
import { runInBash } from "./bashRuns.ts"
import { type Batch, runBatch } from "./batch.ts"
import type { Answer, Item, Settings } from "./job.ts"
import { leftovers, masked } from "./leftovers.ts"
import type { Folders } from "./traced.ts"
import { makeStubs, stubNames } from "./stubs.ts"
import { fillWorkplace } from "./workplace.ts"

/** How a script differs: in what, and both sides of it. */
export interface Difference {
  readonly script: string
  readonly kind: "refused" | "fault" | "status" | "stdout" | "files"
  readonly here: string
  readonly bash: string
}

const equalParts = (id: string, script: string, here: Answer, bash: Answer, sides: ReadonlyArray<string>) => {
  const isRandom = /urandom/.test(script)
  const [ours = new Map(), theirs = new Map()] = sides.map((side) => leftovers(join(side, id), /git /.test(script)))
  const files = [...new Set([...ours.keys(), ...theirs.keys()])].filter((name) => ours.get(name) !== theirs.get(name))
  const of = (from: ReadonlyMap<string, string>): string =>
    files.map((name) => `${name}: ${from.get(name)?.slice(0, 300) ?? "not there"}`).join("; ")
  const text = ({ stdout = "" }: Answer): string => isRandom ? String(stdout.length) : masked(stdout)
  const ending = ({ fault, status }: Answer): string => fault ?? String(status)
  return [
    { kind: "status", here: ending(here), bash: ending(bash) },
    { kind: "stdout", here: text(here), bash: text(bash) },
    { kind: "files", here: of(ours), bash: of(theirs) },
  ] as const
}

const compare = (id: string, script: string, here: Answer | undefined, bash: Answer, sides: ReadonlyArray<string>) => {
  if (here === undefined) return [{ script, kind: "fault", here: "no answer", bash: "" }] as const
  const what = `${here.message} ${here.stderr?.slice(-300) ?? ""}`
  if (here.outcome === "refused") return [{ script, kind: "refused", here: what, bash: "" }] as const
  if (here.outcome === "failed" && bash.outcome === "ran") {
    return [{ script, kind: "fault", here: what, bash: "" }] as const
  }
  return equalParts(id, script, here, bash, sides)
    .filter(({ bash, here }) => bash !== here)
    .map((part): Difference => ({
      script,
      ...part,
      here: part.here + (part.kind === "status" ? ` ${here.stderr}` : ""),
    }))
}

type ScriptItem = Item & { readonly script: string }

/** A list that has an interpreter bounds nothing: only the scripts that call one get it, and bash only those that call bash. */
const groups = (
  items: ReadonlyArray<ScriptItem>,
): ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<ScriptItem>]> => {
  const called = ({ script }: ScriptItem): ReadonlyArray<string> =>
    interpreters.filter((name) => new RegExp(`(?<![\\w/.-])${name}(?![\\w/.-])`).test(script))
  const others = interpreters.filter((name) => name !== "bash")
  const kindOf = (item: ScriptItem) => {
    const names = called(item)
    return names.length === 0 ? "none" : names.includes("bash") ? "bash" : "others"
  }
  const { bash = [], none = [], others: some = [] } = Object.groupBy(items, kindOf)
  return [[[], none], [others, some], [interpreters, bash]]
}

export interface EverydayRuns {
  readonly count: number
  readonly differences: ReadonlyArray<Difference>
  /** Programs that started and are not in the list. */
  readonly strangers: ReadonlyArray<string>
}

/**
 * Runs the scripts once by bash, and behind a policy for each of `settings`: those of the policy beside its list, which has
 * what the scripts call.
 */
export const runEveryday = async (
  settings: ReadonlyArray<Partial<Settings>>,
): Promise<ReadonlyArray<EverydayRuns>> => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sluice-everyday-")))
  const [bin, place, template, home] = [
    join(path, "bin"),
    join(path, "place"),
    join(path, "template"),
    join(path, "home"),
  ]
  // Hundreds of folders: in memory where there is such a place. Their scripts see them below `place`.
  const store = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sluice-everyday-"))
  const items = everyday.map((script, i) => ({ id: String(i).padStart(3, "0"), script }))
  const searchPath = `${bin}:/usr/bin:/bin`
  const environment = { PATH: searchPath, HOME: home, USER: "me", LANG: "C.UTF-8", TZ: "UTC", TERM: "dumb" }

  /** A folder for each script and a home folder. All sides see theirs at the same paths. */
  const makeSide = (name: string): { readonly side: string; readonly folders: Folders } => {
    const [side, ownHome] = [join(store, name), join(store, `${name}-home`)]
    mkdirSync(side)
    spawnSync("cp", ["-a", home, ownHome])
    spawnSync("xargs", ["-P", "2", "-n", "1", "cp", "-a", template], {
      input: items.map(({ id }) => `${join(side, id)}\n`).join(""),
    })
    return { side, folders: [["read", path, path], ["write", side, place], ["write", ownHome, home]] }
  }

  try {
    makeStubs(bin)
    mkdirSync(place)
    fillWorkplace(template, home)
    const bash = makeSide("bash")
    const answers = runInBash(place, items, bash.folders, environment)
    const runBehind = async (some: Partial<Settings>, name: string): Promise<EverydayRuns> => {
      const { folders, side } = makeSide(name)
      const batches: Array<Batch> = []
      for (const [called, group] of groups(items)) {
        const batch = await runBatch({
          settings: {
            // A stub by its path: a name could mean a utility of ours, which waits as long as it is told.
            allowedCommands: [...bounded, ...called].map((name) => stubNames.includes(name) ? join(bin, name) : name),
            ...{ searchPath, redirects: "roots", allowedCwdRoots: [place, home, "/tmp"] },
            ...some,
          },
          place,
          items: group,
          // Each program here is watched by strace: a loop of many takes its time.
          timeoutMillis: 15_000,
        }, { folders, environment, others: ["/bin/sleep"] })
        if (batch.trouble !== undefined) throw new Error(batch.trouble)
        batches.push(batch)
      }
      const here = new Map(batches.flatMap((batch) => [...batch.answers]))
      return {
        count: items.length,
        differences: items.flatMap(({ id, script }) =>
          compare(id, script, here.get(id), answers.get(id) ?? { id, outcome: "failed" }, [side, bash.side])
        ),
        strangers: batches.flatMap(({ strangers }) => strangers).map(({ argv, by, path }) =>
          `${path} ${JSON.stringify(argv)} by ${by[0]}`
        ),
      }
    }
    const runs: Array<EverydayRuns> = []
    for (const [index, some] of settings.entries()) runs.push(await runBehind(some, `here-${index}`))
    return runs
  } finally {
    for (const folder of [path, store]) rmSync(folder, { recursive: true, force: true })
  }
}
