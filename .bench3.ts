const root = process.argv[2]
const { Sandbox } = await import(root + "/src/sandbox/mod.ts")
await using sb = await Sandbox.open()
const cpu = async (s: string, n: number) => { let best = 1e9; for (let k = 0; k < n; k++) { const a = process.cpuUsage(); await sb.run(s); const d = process.cpuUsage(a); best = Math.min(best, (d.user + d.system) / 1000) } return best.toFixed(0) }
console.log("cpu loop", await cpu("i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done", 10), "pipes", await cpu("seq 100000 | grep 7 | sed 's/7/x/' | sort | uniq -c | tail -1", 4), "echo", await cpu("for i in $(seq 500); do /bin/echo $i; done | wc -l", 4))
