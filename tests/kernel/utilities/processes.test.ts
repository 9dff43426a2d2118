/** Tests `ps`, `pgrep`, `pkill`, `df`, `uptime`, `free` and `top`, whose titles and exit codes are those of procps and coreutils. */
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"
import { compare } from "./support.ts"

compare("ps prints the titles of procps, pgrep and df fail as the originals", [
  ...["ps", "ps -e", "ps -f", "ps -ef", "ps aux", "ps u", "ps x", "ps -j", "ps -o pid,ppid,comm,args,stat"].map((ps) =>
    `${ps} | head -n 1 | tr -s ' ' | sed 's/^ //'`
  ),
  "ps -o user,pid,pcpu,pmem,vsz,rss,tty,etime,time,etimes,nlwp,ni,pri,start,stime,cmd | head -n 1 | tr -s ' ' | sed 's/^ //'",
  "ps -eo pid,pgid,sess,state,lstart,group,uid,command | head -n 1 | tr -s ' ' | sed 's/^ //'",
  "ps -o pid=NUMBER,comm=NAME | head -n 1 | tr -s ' ' | sed 's/^ //'",
  "ps -p 4999999 | tr -s ' ' | sed 's/^ //'",
  "ps -o pid= -p 4999999",
  "ps --sort=zzz",
  "ps -o zzz",
  "ps --unknown",
  "pgrep",
  "pgrep one two",
  "pgrep no-such-name",
  "pgrep -c no-such-name",
  "pgrep -f 'no such [n]ame'",
  "pkill no-such-nam[e]",
  "pkill -0 no-such-name",
  "df / | head -n 1 | tr -s ' '",
  "df -h / | head -n 1 | tr -s ' '",
  "df -P / | head -n 1 | tr -s ' '",
  "df -Ph / | head -n 1 | tr -s ' '",
  "df -i / | head -n 1 | tr -s ' '",
  "df -T -B M / | head -n 1 | tr -s ' '",
  "df -B1 / | head -n 1 | tr -s ' '",
  "df -m / | head -n 1 | tr -s ' '",
  "df --output=target,fstype,itotal . | head -n 1 | tr -s ' '",
  "df no-such-file",
  "df --output=zzz /",
  "df -i --output /",
], { shell: true, needs: ["ps", "pgrep"] })

it("lists the processes of the sandbox, and finds them by name, command line and parent", async () => {
  await using sandbox = await Sandbox.open()
  const { stdout } = await sandbox.run(
    "sleep 50 & sleep 60 & ps -o pid,ppid,comm,args,stat; ps -C sleep -o args=; ps aux --sort=-pid | head -n 2 | tail -n 1 | " +
      "cut -d ' ' -f 1; pgrep -x sleep; pgrep -la sleep; pgrep -f 'sleep 6'; pgrep -c -P $$ sleep; pgrep -n sleep; " +
      "pgrep -d, -o sleep; pgrep -v -x 'bash|sleep'; ps -p $$ -o comm=; ps h -p 2 o args",
  )
  expect(stdout.split("\n")).toEqual([
    "    PID    PPID COMMAND         COMMAND                     STAT",
    "      1       0 bash            bash                        Ss",
    "      2       1 sleep           sleep 50                    S",
    "      3       1 sleep           sleep 60                    S",
    "      4       1 ps              ps -o pid,ppid,comm,args,st R",
    "sleep 50",
    "sleep 60",
    "user",
    ...["2", "3", "2 sleep 50", "3 sleep 60", "3", "2", "3", "2", "bash", "sleep 50", ""],
  ])
})

it("shows a process that was not waited for, and signals by name, newest or command line", async () => {
  await using sandbox = await Sandbox.open()
  const { stdout } = await sandbox.run(
    "trap 'echo got' USR1; sleep 50 & sleep 60 & sleep 70 & pkill -n sleep; wait $!; echo $?; pkill -ef 'sleep 6'; wait 3; " +
      "echo $?; pkill -USR1 bash; pkill -9 -c sleep; wait 2; echo $?; pkill sleep; echo $?; " +
      "bash -c 'sleep 0 & exec sleep 70' & until pgrep -r Z sleep; do sleep 0.01; done > zombies; ps -eo stat,comm,args | grep ^Z",
  )
  expect(stdout.split("\n")).toEqual([
    "143",
    "sleep killed (pid 3)",
    ...["143", "got", "1", "137", "1"],
    "Z    sleep <defunct> [sleep] <defunct>",
    "",
  ])
})

it("shows the space of the volumes that have some, and that of a file's volume", async () => {
  await using sandbox = await Sandbox.open({ limits: { maxTotalFileBytes: 1_048_576 } })
  const { stdout } = await sandbox.run(
    "head -c 524288 /dev/zero > half; df -h .; df --output=used,pcent . | tail -n 1; df --total -B1 | tail -n 1; df /dev/null",
  )
  expect(stdout.split("\n")).toEqual([
    "Filesystem      Size  Used Avail Use% Mounted on",
    "memory          1.0M  512K  512K  50% /",
    "  512  50%",
    "total            1048576 524288    524288  50% -",
    "Filesystem     1K-blocks  Used Available Use% Mounted on",
    "devices                0     0         0    - /dev",
    "",
  ])
})

it("tells how long the sandbox has run", async () => {
  await using sandbox = await Sandbox.open()
  const { stdout } = await sandbox.run("uptime; uptime -p; [[ $(uptime -s) == 20*:* ]] && echo since")
  expect(stdout).toMatch(
    /^ \d\d:\d\d:\d\d up 0 min, {2}0 user, {2}load average: 0\.00, 0\.00, 0\.00\nup 0 minutes\nsince\n$/,
  )
})

compare("free and top print the titles of procps, and fail as the originals", [
  ...["free", "free -m -w", "free -h -t"].map((free) => `${free} | head -n 1; ${free} | cut -c 1-7`),
  "free x; echo $?; free -z; echo $?",
  "top -b -n 1 | sed -n '2s/[0-9]\\+/N/gp;7p'; top -b -n 1 | sed 's/[0-9]\\+\\.[0-9]/N/g' | sed -n '4,6s/  *N/ N/gp'",
  "top -n 1; echo $?; top -b -n 0; echo $?; top -b -n 1 -o ZZZ; echo $?; top -b -n x; echo $?; top -b -d x -n 1; echo $?",
], { shell: true, needs: ["free", "top"] })

it("shows the memory of files and values, and what files take", async () => {
  await using sandbox = await Sandbox.open({ limits: { maxTotalFileBytes: 1_048_576, maxValueBytes: 1_048_576 } })
  const { stdout } = await sandbox.run(
    "head -c 524288 /dev/zero > half; free -b -t; free -h; free -k --si | tail -n 2; free --mega -w",
  )
  expect(stdout.split("\n").map((line) => line.split(/ +/).slice(0, 5).join(" "))).toEqual([
    ...[
      " total used free shared",
      "Mem: 2097152 524288 1572864 524288",
      "Swap: 0 0 0",
      "Total: 2097152 524288 1572864",
    ],
    ...[" total used free shared", "Mem: 2.0Mi 512Ki 1.5Mi 512Ki", "Swap: 0B 0B 0B"],
    ...["Mem: 2097 524 1572 524", "Swap: 0 0 0"],
    ...[" total used free shared", "Mem: 2 0 1 0", "Swap: 0 0 0"],
    "",
  ])
})

it("lists processes in top's batch mode, again and again", async () => {
  await using sandbox = await Sandbox.open()
  const { stdout } = await sandbox.run(
    "sleep 50 & sleep 60 & top -b -n 2 -d 0.01 -o PID -p 2,3 | grep -A 3 PID; top -bcn 1 -w 74 -p 3 | tail -n 1; " +
      "top -b -n 1 -o -PID | tail -n +8 | cut -c 1-7 | head -n 2; top -b -n 1 -p 2 | sed -n '2p'",
  )
  const row = (pid: number, command: string) => `      ${pid} user      20   0       0      0      0 S ${command}`
  const title = "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND"
  // What sleep has used of the processor depends on the machine.
  expect(stdout.replaceAll(/ S +[0-9.]+ +0\.0 +0:00\.[0-9]+ /g, " S ").split("\n")).toEqual([
    ...[title, row(3, "sleep"), row(2, "sleep"), "", "--", title, row(3, "sleep"), row(2, "sleep")],
    ...[row(3, "sl+"), "      1", "      2"],
    "Tasks:   1 total,   0 running,   1 sleeping,   0 stopped,   0 zombie",
    "",
  ])
})
