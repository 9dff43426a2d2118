/** Scripts of every day that come to something else behind a policy than in bash, by a part of each, with the reason. */
const known: ReadonlyArray<readonly [part: string, reason: string]> = [
  ['export PATH="$HOME', "a policy's search path is its own: a script cannot set PATH"],
  ["-newer setup.py", "with contained utilities on Deno: it tells the times of files in milliseconds"],
  ["./configure", "a program of the folder is not in the list, and here there is none"],
  ["git push origin HEAD", "behind a policy git speaks to no repository in a folder (GIT_ALLOW_PROTOCOL)"],
  ["git push -u origin", "behind a policy git speaks to no repository in a folder (GIT_ALLOW_PROTOCOL)"],
  ["xargs -n1 -P4", "programs that run at the same time write in any order"],
  ["exec 2>&1; ls nope", "a command with merged streams, and one on Deno, has its path as argv[0]"],
  ["/etc/passwd", "the kernel's awk reads what is below the roots, as its other utilities do"],
  ["zip -r out.zip src", "the kernel's zip compresses a file to a few bytes more or less"],
  ["docker compose ps --format json | jq", "input that is no JSON ends jq 1.7 with 5, and jq 1.6 with 4"],
  ["find src -type f -exec", "the kernel's find goes through a folder by name, the system's as the folder has it"],
]

/** Why a script may differ; `undefined` if it may not. */
export const knownReason = (script: string): string | undefined => known.find(([part]) => script.includes(part))?.[1]
