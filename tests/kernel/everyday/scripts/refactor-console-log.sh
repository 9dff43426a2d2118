# Replace console.log by the logger with perl-like sed.
grep -rnE 'console\.log\(' src --include='*.js' | grep -v lib/ | sort
sed -i 's/console\.log(/logger.info(/' src/index.js src/api/*.js
grep -rc 'logger.info' src/index.js src/api | sort
