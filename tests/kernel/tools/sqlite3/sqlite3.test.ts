import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite3 } from "../../../../src/kernel/tools/sqlite3/sqlite3.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

const hasSqlite = spawnSync("bwrap", ["--ro-bind", "/", "/", "--dev", "/dev", "sqlite3", "--version"]).status === 0

const prelude = `cat > setup.sql <<'END'
CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, note);
INSERT INTO t VALUES(1,'apple',1.5,NULL),(2,'pear, green',2,'say "hi"'),(3,'it''s',0.1,x'00ff41'),(4,'h\u00e9llo',1e20,'line
two');
CREATE INDEX by_name ON t(name);
CREATE VIEW v AS SELECT id, name FROM t;
CREATE TABLE "order"(a UNIQUE);
END
sqlite3 shop.db < setup.sql
`

interface Result {
  readonly stdout: string
  readonly exitCode: number
  readonly stderr: string
}

const real = (script: string): Result => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-sqlite-"))
  try {
    const walls = [
      "--ro-bind",
      "/",
      "/",
      "--tmpfs",
      "/tmp",
      "--dev",
      "/dev",
      "--tmpfs",
      "/mnt",
      "--bind",
      folder,
      "/mnt/w",
      "--unshare-all",
      "--chdir",
      "/mnt/w",
    ]
    const run = spawnSync("bwrap", [...walls, "bash", "-c", prelude + script], {
      encoding: "utf8",
      env: { HOME: "/mnt", LC_ALL: "C.UTF-8", PATH: "/usr/bin:/bin" },
    })
    return { stdout: run.stdout, exitCode: run.status ?? -1, stderr: run.stderr.replaceAll(" (17)", "") }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const open = (): Promise<Awaited<ReturnType<typeof Sandbox.open>>> =>
  Sandbox.open({
    cwd: "/mnt/w",
    env: { HOME: "/mnt", LC_ALL: "C.UTF-8" },
    programs: { sqlite3 },
    timeout: "60 seconds",
  })

const ours = async (script: string): Promise<Result> => {
  await using sandbox = await open()
  const { exitCode, stderr, stdout } = await sandbox.run(prelude + script, { check: false })
  return { stdout, exitCode, stderr }
}

/** Tests that scripts print and exit as with Debian's sqlite3; `errors`: also their messages. */
const compare = (title: string, scripts: ReadonlyArray<string>): void => {
  it.skipIf(!hasSqlite)(`${title} (needs sqlite3 and bubblewrap)`, { timeout: 240_000 }, async () => {
    const wrong: Array<string> = []
    for (const script of scripts) {
      const [one, two] = [real(script), await ours(script)]
      if (one.stdout !== two.stdout || one.exitCode !== two.exitCode || one.stderr !== two.stderr) {
        wrong.push(`${script}\n- ${JSON.stringify(one)}\n+ ${JSON.stringify(two)}`)
      }
    }
    expect(wrong.join("\n\n")).toBe("")
  })
}

const modes = ["list", "csv", "json", "line", "column", "html", "markdown", "table", "box", "quote", "tabs", "ascii"]

compare("sqlite3 prints rows in each mode", [
  ...modes.map((mode) => `sqlite3 -${mode} shop.db 'SELECT * FROM t; SELECT 1 AS one WHERE 0; SELECT count(*) FROM t'`),
  ...modes.map((mode) =>
    `printf '.mode ${mode}\\n.headers on\\n.nullvalue NIL\\nSELECT * FROM t ORDER BY id DESC;\\n' | sqlite3 shop.db`
  ),
  "sqlite3 -header -separator ';' -nullvalue '-' shop.db 'SELECT * FROM t'; sqlite3 -json shop.db 'SELECT * FROM t WHERE 0'; sqlite3 -batch -noheader -column shop.db 'select id,name from t'",
  "printf '.mode insert stock\\nSELECT id, name FROM t;\\n.mode column\\n.width 3 12\\nSELECT id, name FROM t;\\n' | sqlite3 shop.db",
])

compare("sqlite3 has the commands with a dot", [
  "sqlite3 shop.db .tables .schema '.schema t' .indexes; sqlite3 shop.db '.tables o%'",
  "sqlite3 shop.db .dump > d.sql; cat d.sql; sqlite3 copy.db < d.sql; sqlite3 copy.db 'select count(*) from t'; sqlite3 shop.db '.dump t'",
  "printf 'a,b\\n1,x\\n2,\"y,z\"\\n3,\\n' > in.csv; printf '.mode csv\\n.import in.csv fresh\\nSELECT * FROM fresh;\\n.schema fresh\\n' | sqlite3 new.db; sqlite3 new.db '.import --csv --skip 1 in.csv fresh' 'select count(*) from fresh'",
  "printf '.output out.txt\\nSELECT 1;\\n.output\\nSELECT 2;\\n.once o2\\nSELECT 3;\\nSELECT 4;\\n' | sqlite3; cat out.txt o2; echo 'select 5;' > r.sql; sqlite3 :memory: '.read r.sql'; printf '.quit\\nselect 1;' | sqlite3; printf '.exit 3\\n' | sqlite3; echo $?",
  "printf '.print hello there\\n.headers on\\n.separator \", \"\\nselect 1 as a, 2 as b;\\n.bogus\\nselect 3;\\n' | sqlite3; echo $?; sqlite3 shop.db .bogus; echo $?",
  "sqlite3 shop.db '.backup b.db'; sqlite3 b.db 'select count(*) from t'; printf '.open shop.db\\n.tables\\n' | sqlite3",
])

compare("sqlite3 reports errors", [
  "sqlite3 shop.db 'SELECT nope FROM t'; echo $?; sqlite3 shop.db 'SELEC 1'; echo $?; sqlite3 shop.db 'select 1; select * from missing; select 2'; echo $?",
  'sqlite3 shop.db "INSERT INTO t VALUES(1,\'x\',1,1)"; echo $?; sqlite3 shop.db "INSERT INTO t(id) VALUES(9)"; echo $?',
  "printf 'select 1;\\nselect nope;\\nselect 2;\\ninsert into \"order\" values(1),(1);\\nselect 3;\\n' | sqlite3 shop.db; echo $?; printf 'select nope;\\nselect 2;\\n' | sqlite3 -bail shop.db; echo $?",
  "echo text > not.db; sqlite3 not.db 'select 1 from x'; echo $?; sqlite3 /nope/x.db 'select 1'; echo $?; sqlite3 -readonly shop.db 'delete from t'; echo $?; sqlite3 -bogus; echo $?",
])

compare("sqlite3 keeps data in files", [
  `sqlite3 a.db 'create table x(y); insert into x values(1),(2)'; sqlite3 a.db 'select sum(y) from x'; printf 'BEGIN;\\ninsert into x values(3);\\nROLLBACK;\\nselect count(*) from x;\\nBEGIN;\\ninsert into x values(3);\\nCOMMIT;\\n' | sqlite3 a.db; sqlite3 a.db 'select * from x'; ls`,
  `sqlite3 a.db "attach 'b.db' as b; create table b.z(q); insert into b.z values('there')"; sqlite3 b.db 'select * from z'; sqlite3 a.db 'create table big(a); with recursive n(i) as (select 1 union all select i+1 from n where i<20000) insert into big select printf("%%0100d", i) from n'; sqlite3 a.db 'select count(*), sum(length(a)) from big; pragma integrity_check'`,
  `sqlite3 :memory: "select json_extract('{\\"a\\":[1,2]}','$.a[1]'), upper('x'), round(2.5), date('2024-02-29','+1 year'), typeof(1.0), 1/2, 1.0/3, 9223372036854775807, 1e300*1e10"`,
])

const endless = "with recursive n(i) as (select 1 union all select i+1 from n)"

it("other processes and the host run during a statement of sqlite3", { timeout: 60_000 }, async () => {
  await using sandbox = await open()
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  // Ends only if the shell runs while the statement does.
  const { stdout } = await sandbox.run(
    `sqlite3 :memory: '${endless} select count(*) from n' & until ps -o args | grep -q '[r]ecursive'; do sleep 0.01; done
sleep 0.2; echo running; kill $!; wait $!; echo $?`,
    { check: false },
  )
  clearInterval(timer)
  expect(stdout).toBe("running\n143\n")
  expect(turns).toBeGreaterThan(5)
})

it("the timeout of a run ends a statement of sqlite3", { timeout: 60_000 }, async () => {
  await using sandbox = await open()
  const run = sandbox.run(`sqlite3 :memory: '${endless} select count(*) from n'`, { timeout: "200 millis" })
  await expect(run).rejects.toMatchObject({ reason: { _tag: "Timeout" } })
})

it("sqlite3 holds no more memory than it may", { timeout: 60_000 }, async () => {
  await using sandbox = await open()
  const { exitCode, stderr } = await sandbox.run(
    `sqlite3 :memory: "create table t(a); ${endless} insert into t select zeroblob(60000000) from n limit 60"`,
    { check: false },
  )
  expect(exitCode).toBe(7)
  expect(stderr).toContain("out of memory")
})

it("a statement of sqlite3 that is killed leaves the database as it was", { timeout: 60_000 }, async () => {
  await using sandbox = await open()
  const { stdout } = await sandbox.run(
    `sqlite3 s.db 'create table x(y)'
sqlite3 s.db '${endless} insert into x select i from n' & until [ -s s.db-journal ]; do sleep 0.01; done
kill -KILL $!; wait $!; sqlite3 s.db 'insert into x values(3); select count(*), sum(y) from x; pragma integrity_check'`,
    { check: false },
  )
  expect(stdout).toBe("1|3\nok\n")
})

it("sqlite3 leaves the database whole when it is killed within a transaction", { timeout: 60_000 }, async () => {
  await using sandbox = await open()
  const script = `sqlite3 k.db 'create table x(y); insert into x values(1)'
(printf 'BEGIN;\\ninsert into x values(2);\\n'; sleep 30) | timeout -s KILL 1 sqlite3 k.db
sqlite3 k.db 'insert into x values(3); select group_concat(y) from x; pragma integrity_check'`
  const { stdout } = await sandbox.run(script, { check: false })
  expect(stdout).toContain("1,3\nok\n")
})
