/** Attacks by the files that stand for process substitutions, and by names of what stands open; each leaves a mark. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { workshop } from "../support/workshop.ts"
import { said, type Settings, told } from "./support.ts"

const onLinux = it.live.skipIf(process.platform !== "linux")

/** A root, a secret outside, and a folder for temporary files in the root, where a caller finds them. */
const places = Effect.gen(function* () {
  const shop = yield* workshop
  shop.write("secret", "SECRET_X=taken\n")
  const before = process.env["TMPDIR"]
  yield* Effect.acquireRelease(
    Effect.sync(() => process.env["TMPDIR"] = shop.makeDirectory("root/tmp")),
    () =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["TMPDIR"]
        else process.env["TMPDIR"] = before
      }),
  )
  const cwd = shop.path("root")
  const policy = (allowedCommands: string, more: Partial<Settings> = {}): Settings => ({
    allowedCommands: allowedCommands.split(" "),
    allowedCwdRoots: [cwd],
    redirects: "none",
    searchPath: "/usr/bin:/bin",
    ...more,
  })
  return {
    shop,
    cwd,
    policy,
    run: (settings: Settings, script: string) => said(settings, script, { cwd, timeout: "20 seconds" }),
  }
})

onLinux("reads nothing that a link leads to in place of what a program wrote", () =>
  Effect.gen(function* () {
    const { policy, run, shop } = yield* places
    const settings = policy("ln echo", { utilities: "host" })
    const shows = `mapfile -d '' a; for x in "\${a[@]}"; do echo "got \${x%%=*}"; done`
    for (const target of ["/proc/self/environ", shop.path("secret")]) {
      const text = yield* run(settings, `ln -sf ${target} >(${shows})`)
      expect([target, text]).toEqual([target, expect.not.stringContaining("got")])
    }
  }))

// What opens one waits for ever, and this process with it.
onLinux(
  "does not wait for a FIFO that a link leads to in place of what a program wrote",
  () =>
    Effect.gen(function* () {
      const { policy, run, shop } = yield* places
      spawnSync("mkfifo", [shop.path("fifo")])
      const text = yield* run(policy("ln echo"), `ln -sf ${shop.path("fifo")} >(mapfile a; echo "got \${a[*]}"); wait`)
      expect(text).toContain("got \n")
    }),
)

onLinux("has no file that a caller could replace while others are filled", () =>
  Effect.gen(function* () {
    const { policy, run, shop } = yield* places
    const settings = policy("uname grep ln rm sleep echo", { utilities: "contained" })
    for (const target of ["/proc/self/environ", shop.path("secret")]) {
      const swap = `for d in tmp/sluice-fd-*/*; do rm "$d" && ln -s ${target} "$d" && echo swapped; done`
      const text = yield* run(
        settings,
        `uname >(grep -ao '\\(PATH\\|SECRET_X\\)=[a-z0-9/]*') <(sleep 1) & sleep 0.4; ${swap}; wait`,
      )
      expect([target, text]).toEqual([target, expect.not.stringMatching(/swapped|PATH=|SECRET_X=/)])
    }
  }))

onLinux("gives an interpreter no file with code by the word of a substitution", () =>
  Effect.gen(function* () {
    const { cwd, policy, run, shop } = yield* places
    const settings = policy("python3 awk echo", { code: "refuse" })
    const mark = JSON.stringify(`open("${cwd}/mark", "w")`)
    const shows = "awk 'BEGIN { print ARGV[1]; fflush(); while (x++ < 50000000); }'"
    const text = yield* run(settings, `${shows} <(awk 'BEGIN { print ${mark} }') | { read p; python3 "$p"; }`)
    expect(shop.exists("root/mark")).toBe(false)
    expect(text).toContain("may not be given code")
  }))

onLinux("gives an interpreter no code from open descriptors, by any path", () =>
  Effect.gen(function* () {
    const { cwd, policy, run, shop } = yield* places
    symlinkSync("/dev", shop.path("root/devices"))
    symlinkSync("/dev/stdin", shop.path("root/input"))
    const mark = `open("${cwd}/mark", "w")`
    const given = `echo '${mark}' | python3`
    const shell = `echo 'echo > ${cwd}/mark' | bash`
    const refused: unknown = expect.stringContaining("may not be given code")
    const settings = policy("python3 bash echo env find", { code: "refuse" })
    const { allowedCwdRoots: _, ...anywhere } = settings
    const scripts: ReadonlyArray<readonly [Settings, string]> = [
      ...["stdin", "./stdin", "fd/0", "pts/../stdin"].flatMap((word): ReadonlyArray<readonly [Settings, string]> => [
        [anywhere, `cd /dev; ${given} ${word}`],
        [anywhere, `cd /dev; ${shell} ${word}`],
      ]),
      [anywhere, `cd /dev; echo '${mark}' | env python3 stdin`],
      [anywhere, `cd /; ${given} dev/stdin`],
      [anywhere, `cd /usr/bin; ${given} ../../dev/stdin`],
      [settings, `${given} devices/stdin`],
      [settings, `${given} input`],
      [settings, `${shell} ./input`],
      [anywhere, `echo '${mark}' | find /dev -maxdepth 1 -name null -execdir python3 stdin \\;`],
    ]
    for (const [policyOf, script] of scripts) {
      const text = yield* run(policyOf, script)
      expect([script, shop.exists("root/mark"), text]).toEqual([
        script,
        false,
        refused,
      ])
    }
    const spots = [
      "/dev stdin",
      "/dev/pts ../stdin",
      "/dev/fd 0",
      "/proc self/fd/0",
      "/proc/self fd/0",
      "/proc/sys ../self/fd/0",
    ]
    for (const spot of spots) {
      const [cwd = "", word = ""] = spot.split(" ")
      const text = yield* told(anywhere, "python3", [word], { cwd, input: mark })
      expect([spot, shop.exists("root/mark"), text]).toEqual([spot, false, refused])
    }
    const found = [".", "-name", "null", "-execdir", "python3", "stdin", ";"]
    expect(yield* told(anywhere, "find", found, { cwd: "/dev", input: mark })).toEqual(refused)
    expect(shop.exists("root/mark")).toBe(false)
    // Files run as before.
    shop.write("root/sub/file.py", "print('ran')\n")
    symlinkSync("sub/file.py", shop.path("root/link.py"))
    for (const word of ["sub/file.py", "./sub/../link.py", "link.py", `${cwd}/link.py`]) {
      expect(yield* run(settings, `python3 ${word}`)).toBe("ran\n")
    }
    expect(yield* run(settings, "cd sub; python3 ../link.py; python3 file.py /dev/stdin <<< x")).toBe("ran\nran\n")
  }))
