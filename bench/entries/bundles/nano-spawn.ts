import spawn from "nano-spawn"

for await (const line of spawn("git", ["log"])) console.log(line)
