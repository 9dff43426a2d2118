/** A folder in which the scripts of every day find what they ask for: a repository, sources, data, logs. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `${line(i + 1)}\n`).join("")

const versioned: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify(
    {
      name: "demo",
      version: "1.4.2",
      scripts: { test: "true", build: "true" },
      dependencies: { a: "^1.0.0", b: "~2.1.0" },
    },
    null,
    2,
  ) + "\n",
  "README.md": "# Demo\n\nA demo.\n\n## Usage\n\n    demo\n\n## License\n\nMIT\n",
  "src/index.ts": lines(25, (i) => `export const value${i} = ${i}${i % 7 === 0 ? " // TODO" : ""}`),
  "src/parser.ts": "export class ParserError extends Error {}\nconst foo = bar(1) // old\nexport { foo }\n",
  "src/server.ts": lines(200, (i) => `server.use(${i})`),
  "src/view.tsx": "import { useEffect } from 'x'\nuseEffect(() => {}) // deprecated\n",
  "src/app.py": "__version__ = '1.0'\n\n\ndef main():\n    # TODO\n    return 1\n",
  "src/app/__init__.py": "__version__ = '2.0'\n",
  "src/main.c": lines(30, (i) => `int f${i}(void) { return ${i}; }`),
  "src/main.go": "package main\n\nfunc main() {}\n",
  "src/app.js": "module.exports = { old: 1 }\n",
  "top.ts": "export default 1\n",
  "two.ts": "export default 2\n",
  "main.py": "import os\n\nprint(os.name)\n",
  "setup.py": "# setup\n",
  "settings.ini": "debug = true\nlevel = 3\n",
  "Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\n',
  "Makefile": "all:\n\t@echo built\ntest:\n\t@echo tested\nbuild:\n\t@echo 'warning: slow'\n",
  ".gitignore": "*.log\nhome/\norigin.git/\n",
}

const others: Readonly<Record<string, string>> = {
  "file.txt": "# a comment\nfoo a\nstart\n10-20 bar\nend\nlast a\n" + lines(20, (i) => `Line ${i} a pattern`),
  "data.csv": "name,age,sum\nbob,3,10\neve,4,20\nann,12,30\n",
  "data.txt": "a 1 5\nb 2 9\nc 3 7\n",
  "a.txt": "one\ntwo\nthree\n",
  "b.txt": "one\n2\nthree\n",
  "old.txt": "x\ny\n",
  "new.txt": "y\nz\n",
  "list.txt": "a.txt\nb.txt\n",
  "words.txt": "tea\nmilk\ntea\n",
  "urls.txt": "http://localhost:9/a\nhttp://localhost:9/b\n",
  "table.txt": "a b c\nd e f\n",
  "table.md": "| name | age |\n|---|---|\n| bob | 3 |\n",
  "mails.txt": "bob@example.com x\nnobody\n",
  "people.txt": "me 42\nyou 7\n",
  "notes.txt": "  one\n\n\ttwo\n",
  "notes.md": "# Notes\n\na b\n",
  "config.txt": "foo=1\nfoo=2\n",
  "config.json": '{ "url": "localhost:3000" }\n',
  "a.json": '{"a":1,"b":[1,2]}\n',
  "b.json": '{"b":[1,2],"a":1}\n',
  "settings.conf": "# none\nkey=value\nother=a=b\n",
  ".env": "NAME=demo\n",
  ".env.example": "# names\nNAME=\nTOKEN=x\n",
  "app.log": lines(40, (i) => `${i % 3 === 0 ? "ERROR" : "INFO"} {"status":${i % 2 === 0 ? 200 : 500}}`),
  "access.log": lines(12, (i) => `10.0.0.${i % 4} GET /`),
  "old.log": "old\n",
  "x.orig": "orig\n",
  x: "x\n",
  // A script reads the folder while it makes this one.
  "files.txt": "\n",
  "file.bin": "\u0001\u0002binary\u0000\n",
  "cli.js": "console.log(1)\n",
  "server.js": "console.log('up'); setTimeout(() => {}, 60000)\n",
  "server.py": "import time\n\ntime.sleep(60)\n",
  "run.sh": "#!/bin/sh\necho ran\n",
  "scripts/deploy.sh": "set -e\necho deploy\n",
  "packages/core/package.json": '{"name":"core","version":"0.0.1"}\n',
  "tests/test_parser.py": "def test(): pass\n",
  "sub/inner.txt": "inner\n",
  "img/b.png": "b",
  "img/a.png": "a",
  "backup/.keep": "",
  "out/.keep": "",
  "lib-src/lib.c": "int lib;\n",
}

const history = `set -e
git init -q --template= -b main . && git add . && git commit -qm "first"
echo "more" >> README.md && git commit -qam "docs: more"
echo "const x = 1 // TODO" >> src/index.ts && git commit -qam "fix: x" --author "Eve <eve@example.com>"
git init -q --template= --bare origin.git && git remote add origin ./origin.git && git push -q -u origin main
git gc -q && git -C origin.git gc -q && rm -rf .git/logs
echo "export const y = 2" >> src/parser.ts
`

/** Fills a folder, and `home` beside it. */
export const fillWorkplace = (folder: string, home: string): void => {
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Me\n\temail = me@example.com\n[advice]\n\tdetachedHead = false\n",
  )
  writeFileSync(join(home, "list.txt"), "b\na\nb\n")
  for (const [name, text] of Object.entries(versioned)) write(name, text)
  const { status, stderr } = spawnSync("sh", ["-c", history], {
    cwd: folder,
    encoding: "utf8",
    env: {
      ...{ PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
      ...{ GIT_AUTHOR_DATE: "2024-05-01T10:00:00Z", GIT_COMMITTER_DATE: "2024-05-01T10:00:00Z" },
    },
  })
  if (status !== 0) throw new Error(`no repository: ${stderr}`)
  for (const [name, text] of Object.entries(others)) write(name, text)
  for (const name of ["run.sh", "cli.js"]) chmodSync(join(folder, name), 0o755)
  spawnSync("tar", ["czf", "archive.tgz", "lib-src"], { cwd: folder })
  spawnSync("sh", ["-c", "find . -name '*.log' -exec touch -d '2024-01-01' {} +; rm -rf build"], { cwd: folder })
}
