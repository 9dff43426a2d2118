import { compareGit } from "./compare.ts"

const start =
  `git init -q; printf 'one\\ntwo\\nthree\\n' > a.txt; mkdir -p dir/sub; echo deep > dir/sub/d.txt; echo x > 'b c.txt'; save first
`

compareGit("git init, add and commit", [
  "git init; git init; git init -q sub; ls -a sub",
  "git init -q; git status; echo a > a; git status; git add a; git status; git status -s; git commit -m 'first commit'; git status; git log",
  "git init -q -b trunk; git status -sb; echo a > a; git add .; git commit -m one -m 'second paragraph'; git log --format='%H %an %ae %cn %s%n%b'; git status -sb",
  `${start}git log; git cat-file -p HEAD; git cat-file -p 'HEAD^{tree}'; git ls-files -s; git ls-tree -r HEAD; git rev-parse HEAD 'HEAD^{tree}' HEAD:a.txt`,
  `${start}git commit -m again; echo $?; git commit --allow-empty -m empty; git log --oneline`,
  `${start}echo more >> a.txt; git commit -am 'change a'; echo new > new; git commit -am nothing; git add new; tick; git commit --amend -m amended; git log --stat`,
  `${start}echo more >> a.txt; echo other >> dir/sub/d.txt; git commit -m part a.txt; git status --porcelain; git show --stat`,
  `${start}git rm a.txt; git status -s; git commit -m gone; git mv dir/sub/d.txt moved.txt; git status; git commit -m moved; git show`,
  `${start}git rm -r dir; git rm nope; echo $?; echo z >> a.txt; git rm a.txt; echo $?; git rm --cached a.txt; git status`,
  `${start}chmod +x a.txt; git status -s; git diff; git commit -qam mode; git show --summary --format=%s; ln -s a.txt link; git add link; git commit -m link; git ls-files -s`,
  `${start}git add nope; echo $?; git add; echo $?; git add -n .; echo y > y; git add -n -v .; git add -v .`,
  "git init -q; git commit -m x; echo $?; git log; echo $?; git diff; git branch; git rev-parse HEAD; echo $?",
  "git status; echo $?; git log; echo $?",
  `${start}git commit --allow-empty -m 'author' --author='Zed Z <z@example.com>' --date='2020-01-02T03:04:05+0200'; git log -1 --format=fuller; git commit --amend --no-edit; git log -1 --format='%an %ad'`,
  `${start}echo x >> a.txt; git commit -a -F - <<'END'
subject from stdin

# not a comment here
body
END
git log -1 --format=%B`,
])

compareGit("git status", [
  `${start}echo 1 > untracked; mkdir u; echo 2 > u/f; echo mod >> a.txt; rm 'b c.txt'; echo st > staged; git add staged; git status; git status -s; git status --porcelain -z | od -c; git status -uall; git status -uno; cd dir; git status; git status -s`,
  `${start}printf '*.log\\n/build/\\n!keep.log\\n' > .gitignore; echo l > x.log; echo k > keep.log; mkdir -p build src/build; echo o > build/o; echo s > src/build/s; git status -s; git status --ignored; git status -s --ignored; git add x.log; echo $?; git check-ignore x.log keep.log build/o src/build/s; git ls-files -o --exclude-standard; git ls-files -o`,
  `${start}git mv a.txt renamed.txt; echo more >> renamed.txt; git status; git status -s; printf 'caf\\303\\251' > 'caf\u00e9.txt'; git status -s; git add .; git status`,
  `${start}git rm -q --cached a.txt; git status -s; git status`,
  `${start}rm -r dir; git status; git add -u; git status -s; git checkout HEAD -- dir; git status`,
])

compareGit("git diff", [
  `${start}printf 'one\\n2\\nthree\\nfour' > a.txt; git diff; git diff --stat; git diff --numstat; git diff --shortstat; git diff --name-only; git diff --name-status; git add .; git diff; git diff --cached; git diff HEAD; git diff --staged --stat`,
  `${start}rm a.txt; echo n > n; git add -A; git diff --cached; git diff --cached --summary; git diff --cached -R --stat; git diff --quiet --cached; echo $?; git diff --exit-code; echo $?`,
  `${start}seq 1 40 > n; save n; seq 1 40 | sed 's/^5$/five/; s/^20$/twenty/; s/^35$/x/' > n; git diff; git diff -U0; git diff -U1; git diff -w; git commit -qam two; git diff HEAD~1 HEAD; git diff HEAD~1..; git diff HEAD^ HEAD -- n; git diff HEAD~1 --stat -- a.txt`,
  `${start}printf 'a\\0b' > bin; git add bin; git diff --cached; git diff --cached --stat; git commit -qm bin; printf 'a\\0bc' > bin; git diff; git diff --stat; git diff --numstat`,
  `${start}cat > f.js <<'END'
function one() {
  return 1
}

function two() {
  return 2
}
END
save js; cat > f.js <<'END'
function one() {
  return 1
}

function between() {
  return 1.5
}

function two() {
  return 3
}
END
git diff; git diff --stat`,
  `${start}printf 'a  b\\n\\tc\\n' > w; save w; printf 'a b\\nc  \\n' > w; git diff; git diff -w; git diff -b; git diff --ignore-space-at-eol`,
  `${start}git mv a.txt z.txt; git diff --cached; git diff --cached -M --stat; git diff --cached --no-renames --stat; git diff --cached --name-status`,
  `${start}git diff nope; echo $?; git diff HEAD~5; echo $?; git diff -- nope; echo $?; git diff nope -- a.txt; echo $?`,
  `${start}mkdir -p very/long/directory/name/that/goes/on/and/on/and/on; seq 200 > very/long/directory/name/that/goes/on/and/on/and/on/file-with-a-long-name.txt; seq 3 > short; save long; git show --stat; git mv very/long/directory/name/that/goes/on/and/on/and/on/file-with-a-long-name.txt very/long/directory/other.txt; git diff --cached --stat`,
])
