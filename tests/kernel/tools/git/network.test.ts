import { expect, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { git } from "../../../../src/kernel/tools/git/git.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"
import { hasGit } from "./compare.ts"

const identity = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "C", GIT_COMMITTER_EMAIL: "c@d" }

const walled = (folder: string): ReadonlyArray<string> => [
  ...["--ro-bind", "/", "/", "--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/mnt"],
  ...["--bind", folder, "/mnt/r", "--unshare-all", "--chdir", "/mnt/r", "--die-with-parent"],
]

/** Git's own HTTP server, inside bubblewrap, behind a server that asks for a token. */
const serveGit = async (
  script: string,
): Promise<
  { readonly origin: string; readonly run: (script: string) => string; readonly close: () => Promise<void> }
> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-githttp-"))
  const run = (text: string): string =>
    spawnSync("bwrap", [...walled(folder), "/bin/bash", "-c", text], {
      encoding: "utf8",
      env: { ...identity, HOME: "/mnt", PATH: "/usr/bin:/bin" },
    }).stdout
  run(script)
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", "http://host")
    if (request.headers.authorization !== "Bearer secret") {
      response.writeHead(401).end("who?")
      return
    }
    if (url.pathname === "/endless.git/info/refs") {
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" })
      response.write("001e# service=git-upload-pack\n")
      return
    }
    const child = spawn("bwrap", [...walled(folder), "git", "http-backend"], {
      env: {
        ...identity,
        HOME: "/mnt",
        PATH: "/usr/bin:/bin",
        GIT_PROJECT_ROOT: "/mnt/r",
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? "GET",
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        REMOTE_USER: "someone",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
      },
    })
    request.pipe(child.stdin)
    const parts: Array<Buffer> = []
    child.stdout.on("data", (part: Buffer) => parts.push(part))
    child.on("close", () => {
      const whole = Buffer.concat(parts)
      const end = whole.indexOf("\r\n\r\n")
      const head = whole.subarray(0, end).toString().split("\r\n").map((line) => line.split(": ") as [string, string])
      const status = head.find(([name]) => name === "Status")?.[1] ?? "200"
      response.writeHead(Number.parseInt(status), Object.fromEntries(head.filter(([name]) => name !== "Status")))
      response.end(whole.subarray(end + 4))
    })
  }
  const server = createServer(answer)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  return {
    origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    run,
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const fill = `git config --global init.defaultBranch main
git init -q work; cd work; seq 2000 > numbers; mkdir dir; echo one > dir/one.txt; git add .; git commit -qm first
for i in 2 3 4; do seq $i 2000 > numbers; git commit -qam "change $i"; done; git tag -a v1 -m 'version 1'; git branch feature
cd ..; git clone -q --bare work repo.git; git -C repo.git config http.receivepack true`

it.skipIf(!hasGit)(
  "git clones, fetches, pulls and pushes through a rule that adds a token",
  { timeout: 120_000 },
  async () => {
    const server = await serveGit(fill)
    try {
      await using sandbox = await Sandbox.open({
        cwd: "/w",
        env: identity,
        programs: { git },
        network: { origins: [{ origin: server.origin, headers: { Authorization: "Bearer secret" } }] },
        timeout: "60 seconds",
      })
      const run = async (script: string): Promise<string> => {
        const { exitCode, stderr, stdout } = await sandbox.run(script, { check: false })
        expect(`${script}: ${exitCode} ${exitCode === 0 ? "" : stderr}`).toBe(`${script}: 0 `)
        return stdout
      }
      const url = `${server.origin}/repo.git`
      await run(`git clone ${url}`)
      const log = "log --all --format='%H %s %d'"
      expect(
        (await run("cd repo; git log --format=%H; git status -s; cat dir/one.txt; git tag; git branch -a")).split("\n")
          .slice(0, 4).join("\n").trim(),
      )
        .toBe(server.run("cd work; git log --format=%H").trim())
      expect(await run("cd repo; git status; git branch -r; env; git config --list | grep -i secret | wc -l")).not
        .toContain("Bearer")
      await run(
        "cd repo; echo mine > mine.txt; git add .; git commit -qm mine; git push; git switch -q -c topic; echo t > t; git add t; git commit -qm topic; git push -u origin topic",
      )
      expect(server.run("git -C repo.git log --format=%s main; git -C repo.git log -1 --format=%s topic")).toBe(
        "mine\nchange 4\nchange 3\nchange 2\nfirst\ntopic\n",
      )
      server.run(
        "cd work; git remote add origin ../repo.git; git pull -q origin main; echo theirs > theirs; git add .; git commit -qm theirs; git push -q origin main",
      )
      expect(await run("cd repo; git switch -q main; git pull; cat theirs; git log -1 --format=%s")).toContain(
        "theirs\ntheirs\n",
      )
      expect(
        await run(
          "cd repo; git fetch; git status -sb; git push --delete origin topic; git ls-remote --heads origin | cut -f2",
        ),
      ).toBe("## main...origin/main\nrefs/heads/feature\nrefs/heads/main\n")
      expect(
        await run(
          `git clone -q --depth 1 ${url} shallow; cd shallow; git log --format=%s; git clone -q -b feature ${url} f; git -C f branch --show-current`,
        ),
      ).toBe("theirs\nfeature\n")
      expect(await run(`cd repo; git ${log} | wc -l`)).not.toBe("")
    } finally {
      await server.close()
    }
  },
)

it.skipIf(!hasGit)(
  "git does not reach servers that no rule allows, and is killed while it clones",
  { timeout: 60_000 },
  async () => {
    const server = await serveGit("true")
    try {
      await using sandbox = await Sandbox.open({
        cwd: "/w",
        programs: { git },
        network: { origins: [{ origin: server.origin, headers: { Authorization: "Bearer secret" } }] },
      })
      const refused = await sandbox.run(
        "git clone http://127.0.0.1:1/x.git; echo $?; ls; git clone git@host:x; echo $?; git clone /etc; echo $?",
        { check: false },
      )
      expect(refused.stdout).toBe("128\n128\n128\n")
      const killed = await sandbox.run(`timeout -s KILL 1 git clone ${server.origin}/endless.git; echo $?`, {
        check: false,
        timeout: "30 seconds",
      })
      expect(killed.stdout).toBe("137\n")
    } finally {
      await server.close()
    }
  },
)

it("git refuses unsupported features by name, and starts no programs of a configuration", async () => {
  await using sandbox = await Sandbox.open({ cwd: "/w", env: identity, programs: { git } })
  const script = `git init -q; git bisect; echo $?; git log --graph; echo $?; git rebase -i HEAD; echo $?
git config alias.x '!touch started'; git x; echo $?; git config core.editor 'touch started'; git config core.fsmonitor 'touch started'; git config diff.external 'touch started'
mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch started\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; echo a > a; git add a; git commit -q -m a; git diff; git status -s; ls`
  const { stderr, stdout } = await sandbox.run(script, { check: false })
  expect(stdout).toBe("1\n128\n128\n128\na\n")
  expect(stderr).toContain("git: 'bisect' is not a command of git in the sandbox")
  expect(stderr).toContain("--graph is not supported by git of the sandbox")
})

it("git refuses to work with files whose line ends it should convert", async () => {
  await using sandbox = await Sandbox.open({ cwd: "/w", env: identity, programs: { git } })
  const { stderr, stdout } = await sandbox.run(
    `git init -q; echo a > a; git -c core.autocrlf=true add a; echo $?; git -c core.eol=crlf status; echo $?
git -c core.autocrlf=false add a && git status -s; git config core.autocrlf input; git log; git config core.autocrlf`,
    { check: false },
  )
  expect(stdout).toBe("128\n128\nA  a\ninput\n")
  expect(stderr).toContain("core.autocrlf=true is not supported by git of the sandbox; files keep their line ends")
})
