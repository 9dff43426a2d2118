import { expect, it } from "vitest"
import { readLog } from "./straceLog.ts"

const programs = (log: string): ReadonlyArray<string> =>
  readLog(log).map(({ argv, by, path, pid }) => `${pid} ${path} ${JSON.stringify(argv)} by ${by?.path}`)

it("reads programs and their parents, and no failed starts", () => {
  expect(programs(`
10 execve("/usr/bin/node", ["node", "a.mjs"], ["A=1"]) = 0
10 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_THREAD|CLONE_SIGHAND) = 11
11 execve("/no/bash", ["bash"], ["A=1"]) = -1 ENOENT (No such file or directory)
11 vfork( <unfinished ...>
12 execve("/bin/bash", ["bash", "-c", "ls; \\"a\\\\b\\"\\n\\303\\251\\1012"], ["A=1"] <unfinished ...>
11 <... vfork resumed>) = 12
12 <... execve resumed>) = 0
13 execve("/usr/bin/ls", ["ls"], ["A=1"]) = 0
12 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 13
13 +++ exited with 0 +++
12 execve("/usr/bin/true", ["true"], ["A=1"]) = 0
`)).toEqual([
    '10 /usr/bin/node ["node","a.mjs"] by undefined',
    `12 /bin/bash ${JSON.stringify(["bash", "-c", 'ls; "a\\b"\né' + "A2"])} by /usr/bin/node`,
    '13 /usr/bin/ls ["ls"] by /bin/bash',
    '12 /usr/bin/true ["true"] by /bin/bash',
  ])
})

it("knows the parent of a process that ended before its start was logged, and reused process ids", () => {
  expect(programs(`
10 execve("/usr/bin/node", ["node"], []) = 0
10 vfork( <unfinished ...>
12 execve("/bin/a", ["a"], []) = 0
12 +++ exited with 0 +++
10 <... vfork resumed>) = 12
10 vfork() = 12
12 execve("/bin/b", ["b"], []) = 0
12 execve("/bin/c", ["c"], []) = 0
12 +++ killed by SIGKILL +++
`)).toEqual([
    '10 /usr/bin/node ["node"] by undefined',
    '12 /bin/a ["a"] by /usr/bin/node',
    '12 /bin/b ["b"] by /usr/bin/node',
    '12 /bin/c ["c"] by /bin/b',
  ])
})

it("reads programs by descriptors, and a thread that becomes one", () => {
  expect(programs(`
20 execve("/usr/bin/node", ["node"], []) = 0
20 clone3({flags=CLONE_VM|CLONE_THREAD} <unfinished ...>
20 <... clone3 resumed> => {parent_tid=[21]}, 88) = 21
20 clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD} => {parent_tid=[0]}, 88) = 30
30 execveat(3</usr/bin/true>, "", ["true"], [], AT_EMPTY_PATH) = 0
30 execveat(AT_FDCWD</tmp/w>, "./x", ["x"], []) = 0
21 execve("/bin/late", ["late"], [] <pid changed to 20 ...>
20 +++ superseded by execve in pid 21 +++
20 <... execve resumed>) = 0
`)).toEqual([
    '20 /usr/bin/node ["node"] by undefined',
    '30 /usr/bin/true ["true"] by /usr/bin/node',
    '30 /tmp/w/./x ["x"] by /usr/bin/true',
    '20 /bin/late ["late"] by /usr/bin/node',
  ])
})
