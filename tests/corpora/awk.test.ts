/** Runs the tests of onetrue-awk (`testdir` of its source, in the folder `SLUICE_AWK`) in the sandbox: scripts that check awk. */
import { expect, it } from "vitest"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { Sandbox } from "@sluice/shell/sandbox"

const folder = process.env["SLUICE_AWK"] ?? ""

/** Scripts about the messages and options of onetrue-awk itself, at which gawk fails too, and one that only prints. */
const leftOut = new Set(["T.errmsg", "T.flags", "T.latin1"])

/** What fails, in gawk 5.2 too where it has no reason. */
const known: Readonly<Record<string, ReadonlyArray<string>>> = {
  "T.-f-f": ["T.-f-f source file name"],
  "T.argv": ["T.argv delete ARGV[2]"],
  "T.arnold": ["T.arnold (system-status)"],
  // The generator starts from another seed than 1.
  "T.builtin": ["T.builtin (rand)"],
  "T.clv": ["T.clv (7B: illegal varname)", "T.clv (x=20)", "T.clv (x=20a)"],
  "T.gawk": ["T.gawk fsrs"],
  "T.misc": [
    ...["fcn args", "undefined function", "foo bug", "split error", "hello error", "pile error", "atan2 error"],
    ...["gsub banana error", "sub banana error", "can't open", "continuation line number", "$f[1]++"],
    ...["bare quote fails", "non-terminated RE", "looping syntax error 1", "looping syntax error 2"],
    ...["looping syntax error 3", "'$' not permitted in formats", "exit status on I/O error"],
  ].map((name) => `T.misc ${name}`),
  // At most 256 files are open.
  "T.overflow": ["T.overflow $400000", "T.overflow openfiles"],
}

const names = readdirSync(folder).filter((name) => /^T\./.test(name) && !leftOut.has(name))

const open = async () => {
  const files = Object.fromEntries(
    readdirSync(folder).filter((name) => statSync(`${folder}/${name}`).isFile())
      .map((name) => [`/t/testdir/${name}`, new Uint8Array(readFileSync(`${folder}/${name}`))]),
  )
  const sandbox = await Sandbox.open({ files, cwd: "/t/testdir", env: { awk: "awk", LC_ALL: "C.UTF-8" } })
  await sandbox.writeFile("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\nbin:x:2:2:bin:/bin:/usr/sbin/nologin\n")
  await sandbox.writeFile("/t/a.out", '#!/bin/sh\nexec awk "$@"\n')
  await sandbox.writeFile("/t/testdir/echo", "#!/bin/sh\nprintf '%s\\n' \"$*\"\n")
  await sandbox.run("chmod +x ../a.out echo")
  return sandbox
}

it.each(names)("%s", async (name) => {
  await using sandbox = await open()
  const { stderr, stdout } = await sandbox.run(`sh ${name}`, { timeout: 120_000, check: false })
  const bad = `${stdout}\n${stderr}`.split("\n").flatMap((line) => /BAD: (.*)/.exec(line)?.[1] ?? [])
  expect(new Set(bad), `${stdout}${stderr}`.slice(0, 4_000)).toEqual(new Set(known[name] ?? []))
}, 180_000)
