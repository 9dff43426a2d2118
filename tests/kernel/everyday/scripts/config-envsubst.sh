# Fill a template.
export NAME=Anna ORDER_ID=A-100 TOTAL=27.00 CITY=Oslo
envsubst < config/mail.tmpl
envsubst '$NAME $CITY' < config/mail.tmpl | head -3
