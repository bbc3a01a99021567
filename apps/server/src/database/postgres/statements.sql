-- What each method of a repository sends to PostgreSQL, for review.
-- Written by `node apps/server/src/testing/statements/write-statements.ts`; a test fails when it is out of date.

-- admin/usage.ts

-- usage
select count(*) as "total", count(case when "disabled" = $1 then 1 end) as "disabled", count(case when "createdAtMs" >= $2 then 1 end) as "created"
  from "accounts";
select count(*) as "total", count(case when "state" = $1 then 1 end) as "waiting", count(case when "state" = $2 then 1 end) as "failed", count(case when "createdAtMs" >= $3 then 1 end) as "recent", sum(case when "createdAtMs" >= $4 then "bytes" end) as "recentBytes", count(distinct case when "createdAtMs" >= $5 then "accountId" end) as "senders"
  from "predictions"
  where "accountId" is not null
  and "deletedAtMs" is null;
select count(*) as "total", count("recordingUntilMs") as "whole", sum("durationSeconds") as "seconds"
  from "keptSounds";
select count(*) as "total"
  from "invitations"
  where "usedAtMs" is null
  and "expiresAtMs" > $1;
select count(*) as "total"
  from "apiTokens";
select count(*) as "total"
  from "predictionLinks";

-- admin/users.ts

-- users
select "id", "email", "disabled", "createdAtMs", "lastLoginAtMs", "lastRefreshAtMs", (select count(*) as "count"
    from "predictions"
    where "accountId" = "accounts"."id"
    and "deletedAtMs" is null) as "recordings", (select max("lastUsedAtMs") as "at"
    from "apiTokens"
    where "accountId" = "accounts"."id") as "tokenUsedAtMs"
  from "accounts"
  order by "createdAtMs" desc, "email";

-- identity/accounts/account-store.ts

-- findAccount
select *
  from "accounts"
  where "id" = $1;

-- findAccountByEmail
select *
  from "accounts"
  where "email" = $1;

-- listAccounts
select *
  from "accounts"
  where "id" > $1
  order by "id"
  limit $2;

-- insertAccount
insert into "accounts" ("id", "email", "emailVerified", "passwordHash", "passwordUpdatedAtMs", "displayName", "photoUrl", "disabled", "customAttributes", "createdAtMs", "lastLoginAtMs", "lastRefreshAtMs", "validSinceSeconds")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  on conflict do nothing;

-- changeAccount
update "accounts"
  set "id" = $1, "emailVerified" = $2, "disabled" = $3
  where "id" = $4
  returning *;

-- identity/accounts/sessions.ts

-- open
update "accounts"
  set "validSinceSeconds" = $1
  where "id" = $2
  and "validSinceSeconds" > $3;
insert into "sessions" ("id", "authTimeSeconds", "accountId", "refreshTokenHash", "createdAtMs", "lastUsedAtMs", "userAgent", "endedAtMs", "endReason")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- isOpen
select "id"
  from "sessions"
  where "id" = $1
  and "accountId" = $2
  and "endedAtMs" is null;

-- use
select *
  from "sessions"
  where "refreshTokenHash" = $1;
update "sessions"
  set "lastUsedAtMs" = $1, "currentTokenHash" = $2, "previousTokenHash" = $3, "successorKey" = $4, "rotatedAtMs" = $5
  where "id" = $6;
update "sessions"
  set "endedAtMs" = $1, "endReason" = $2, "userAgent" = $3
  where "accountId" = $4
  and "endedAtMs" is null
  and "id" = $5;

-- list
select "id", "authTimeSeconds", "createdAtMs", "lastUsedAtMs", "userAgent"
  from "sessions"
  where "accountId" = $1
  and "endedAtMs" is null
  and "lastUsedAtMs" > $2
  order by "lastUsedAtMs" desc
  limit $3;

-- end
delete from "apiTokens"
  where "accountId" = $1;
delete from "oneTimeCodes"
  where "accountId" = $1
  and "requestType" = $2;
update "sessions"
  set "endedAtMs" = $1, "endReason" = $2, "userAgent" = $3
  where "accountId" = $4
  and "endedAtMs" is null;
update "sessions"
  set "endedAtMs" = $1, "endReason" = $2, "userAgent" = $3
  where "accountId" = $4
  and "endedAtMs" is null
  and "id" = $5;
update "sessions"
  set "endedAtMs" = $1, "endReason" = $2, "userAgent" = $3
  where "accountId" = $4
  and "endedAtMs" is null
  and "id" != $5;

-- purge
update "sessions"
  set "lastUsedAtMs" = $1
  where "lastUsedAtMs" > $2;
delete from "sessions"
  where "endedAtMs" < $1;
delete from "sessions"
  where "lastUsedAtMs" < $1;

-- identity/accounts/terms.ts

-- recordAcceptance
insert into "termsAcceptances" ("accountId", "version", "acceptedAtMs")
  values ($1, $2, $3)
  on conflict do nothing;

-- listAcceptances
select *
  from "termsAcceptances"
  where "accountId" = $1
  order by "acceptedAtMs" desc;

-- identity/accounts/account-deletion.ts

-- delete
delete from "apiTokens"
  where "accountId" = $1;
delete from "oneTimeCodes"
  where "accountId" = $1
  and "requestType" = $2;
update "sessions"
  set "endedAtMs" = $1, "endReason" = $2, "userAgent" = $3
  where "accountId" = $4
  and "endedAtMs" is null;
delete from "invitations"
  where ("accountId" = $1 or "email" in (select "email"
    from "accounts"
    where "id" = $2));
delete from "accounts"
  where "id" = $1;
delete from "termsAcceptances"
  where "accountId" = $1;
delete from "accountSettings"
  where "accountId" = $1;
insert into "accountDeletions" ("accountId", "deletedAtMs")
  values ($1, $2)
  on conflict ("accountId") do update set "deletedAtMs" = $3;
delete from "accountDeletions"
  where "accountId" = $1
  and "deletedAtMs" = $2;

-- deleteKept
delete from "apiTokens"
  where "accountId" = $1;
delete from "oneTimeCodes"
  where "accountId" = $1
  and "requestType" = $2;
update "sessions"
  set "endedAtMs" = $1, "endReason" = $2, "userAgent" = $3
  where "accountId" = $4
  and "endedAtMs" is null;
delete from "termsAcceptances"
  where "accountId" = $1;
delete from "accountSettings"
  where "accountId" = $1;
insert into "accountDeletions" ("accountId", "deletedAtMs")
  values ($1, $2)
  on conflict ("accountId") do update set "deletedAtMs" = $3;
delete from "accountDeletions"
  where "accountId" = $1
  and "deletedAtMs" = $2;

-- resume
select *
  from "accountDeletions";
delete from "accountDeletions"
  where "accountId" = $1
  and "deletedAtMs" = $2;

-- identity/accounts/account-ending.ts

-- follow
select "disabledAtMs"
  from "accountEndings"
  where "accountId" = $1;
delete from "apiTokens"
  where "accountId" = $1;
delete from "oneTimeCodes"
  where "accountId" = $1
  and "requestType" = $2;
update "sessions"
  set "endedAtMs" = $1, "endReason" = $2, "userAgent" = $3
  where "accountId" = $4
  and "endedAtMs" is null;
delete from "accountEndings"
  where "accountId" = $1
  and "disabledAtMs" = $2;

-- resume
select "accountId"
  from "accountEndings";
select "disabledAtMs"
  from "accountEndings"
  where "accountId" = $1;
delete from "apiTokens"
  where "accountId" = $1;
delete from "oneTimeCodes"
  where "accountId" = $1
  and "requestType" = $2;
update "sessions"
  set "endedAtMs" = $1, "endReason" = $2, "userAgent" = $3
  where "accountId" = $4
  and "endedAtMs" is null;
delete from "accountEndings"
  where "accountId" = $1
  and "disabledAtMs" = $2;

-- disableAccount
update "accounts"
  set "id" = $1, "disabled" = $2
  where "id" = $3
  returning *;
insert into "accountEndings" ("accountId", "disabledAtMs")
  values ($1, $2)
  on conflict ("accountId") do update set "disabledAtMs" = $3;

-- hasEnded
select "accountId"
  from "accountEndings"
  where "accountId" = $1;

-- identity/api-tokens/api-tokens.ts

-- verify
select *
  from "apiTokens"
  where ("expiresAtMs" is null or "expiresAtMs" > $1)
  and exists (select "accounts"."id"
    from "accounts"
    where "accounts"."id" = "apiTokens"."accountId"
    and "accounts"."disabled" = $2)
  and "tokenHash" = $3;
update "apiTokens"
  set "lastUsedAtMs" = $1
  where "id" = $2;

-- holds
select *
  from "apiTokens"
  where ("expiresAtMs" is null or "expiresAtMs" > $1)
  and exists (select "accounts"."id"
    from "accounts"
    where "accounts"."id" = "apiTokens"."accountId"
    and "accounts"."disabled" = $2)
  and "apiTokens"."id" = $3;

-- list
select *
  from "apiTokens"
  where "accountId" = $1
  order by "createdAtMs" desc, "id";

-- create
select "id"
  from "sessions"
  where "id" = $1
  and "accountId" = $2
  and "endedAtMs" is null;
select count(*) as "count"
  from "apiTokens"
  where "accountId" = $1;
insert into "apiTokens" ("id", "accountId", "tokenHash", "name", "mayRead", "mayPredict", "createdAtMs", "expiresAtMs", "lastUsedAtMs")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- revoke
delete from "apiTokens"
  where "id" = $1
  and "accountId" = $2;

-- endAll
select *
  from "apiTokens"
  where "accountId" = $1
  order by "createdAtMs" desc, "id";
delete from "apiTokens"
  where "accountId" = $1;

-- purge
delete from "apiTokens"
  where "expiresAtMs" < $1;

-- identity/api-tokens/end-api-tokens.ts

-- endApiTokens
delete from "apiTokens"
  where "accountId" = $1;

-- identity/codes/one-time-codes.ts

-- create
insert into "oneTimeCodes" ("codeHash", "accountId", "requestType", "email", "newEmail", "createdAtMs", "expiresAtMs")
  values ($1, $2, $3, $4, $5, $6, $7);

-- check
select *
  from "oneTimeCodes"
  where "codeHash" = $1;

-- use
delete from "oneTimeCodes"
  where "codeHash" = $1
  returning *;

-- voidAll
delete from "oneTimeCodes"
  where "accountId" = $1;

-- voidOutdated
delete from "oneTimeCodes"
  where "accountId" = $1
  and "requestType" in ($2, $3, $4);

-- purge
update "oneTimeCodes"
  set "expiresAtMs" = "expiresAtMs" - "createdAtMs" + $1, "createdAtMs" = $2
  where "createdAtMs" > $3;
delete from "oneTimeCodes"
  where "expiresAtMs" < $1;

-- identity/invitations/invitations.ts

-- create
delete from "invitations"
  where "email" = $1
  and "usedAtMs" is null;
insert into "invitations" ("codeHash", "email", "createdAtMs", "expiresAtMs", "usedAtMs", "accountId")
  values ($1, $2, $3, $4, $5, $6);

-- check
select *
  from "invitations"
  where "codeHash" = $1;

-- use
select *
  from "invitations"
  where "codeHash" = $1;
update "invitations"
  set "usedAtMs" = $1, "accountId" = $2
  where "codeHash" = $3
  and "usedAtMs" is null;

-- purge
update "invitations"
  set "createdAtMs" = $1, "expiresAtMs" = $2
  where "createdAtMs" > $3;
delete from "invitations"
  where "expiresAtMs" < $1;

-- listInvitations
select *
  from "invitations"
  order by "createdAtMs" desc, "email";

-- revokeInvitation
delete from "invitations"
  where "email" = $1
  and "usedAtMs" is null;

-- listInvitationsOf
select *
  from "invitations"
  where ("accountId" = $1 or "email" in (select "email"
    from "accounts"
    where "id" = $2))
  order by "createdAtMs";

-- deleteInvitations
delete from "invitations"
  where ("accountId" = $1 or "email" in (select "email"
    from "accounts"
    where "id" = $2));

-- identity/tokens/key-table.ts

-- read
select *
  from "signingKeys";
select "kid"
  from "signingKeys";
insert into "signingKeys" ("kid", "createdAtMs", "privateKey", "certificate")
  values ($1, $2, $3, $4);

-- machines/one-storage.ts

-- requireOneStorage
SELECT pg_advisory_lock($1::bigint);
select "value"
  from "sharedValues"
  where "name" = $1;
SELECT pg_advisory_unlock($1::bigint);
insert into "sharedValues" ("name", "value")
  values ($1, $2);

-- machines/shared-state.ts

-- (opened and closed)
insert into "sharedValues" ("name", "value")
  values ($1, $2)
  on conflict do nothing;
select "value"
  from "sharedValues"
  where "name" = $1;

-- clearCounts
delete from "rateLimits"
  where "expire" < $1;

-- prediction/audio/sound-store.ts

-- find
select *
  from "keptSounds"
  where "accountId" = $1
  and "predictionId" = $2;

-- settingOf
select "keepAudio", "keepShortWhole"
  from "accountSettings"
  where "accountId" = $1;

-- changeSetting
insert into "accountSettings" ("accountId", "keepAudio", "keepShortWhole")
  values ($1, $2, $3)
  on conflict ("accountId") do update set "keepAudio" = $4, "keepShortWhole" = $5;

-- forgetSetting
delete from "accountSettings"
  where "accountId" = $1;

-- add
insert into "keptSounds" ("id", "accountId", "predictionId", "createdAtMs", "recordingUntilMs", "momentsUntilMs", "moments", "durationSeconds", "channels", "asSentType", "preparedAtMs", "preparingUntilMs")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict ("accountId", "predictionId") do nothing;
select *
  from "keptSounds"
  where "accountId" = $1
  and "predictionId" = $2;

-- findAll
select *
  from "keptSounds"
  where "accountId" = $1
  and "predictionId" in ($2, $3);

-- ofAccount
select *
  from "keptSounds"
  where "accountId" = $1;

-- all
select *
  from "keptSounds";

-- due
select *
  from "keptSounds"
  where ("recordingUntilMs" <= $1 or "momentsUntilMs" <= $2);

-- unprepared
select *
  from "keptSounds"
  where "preparedAtMs" is null
  order by "createdAtMs";

-- claimUnprepared
update "keptSounds"
  set "preparingUntilMs" = $1
  where "id" in (select "id"
    from "keptSounds"
    where "preparedAtMs" is null
    and ("recordingUntilMs" > $2 or "momentsUntilMs" > $3)
    and ("preparingUntilMs" is null or "preparingUntilMs" < $4)
    order by "createdAtMs"
    limit $5)
  returning *;

-- renew
update "keptSounds"
  set "preparingUntilMs" = $1
  where "id" in ($2, $3);

-- notePrepared
update "keptSounds"
  set "preparedAtMs" = $1, "preparingUntilMs" = $2
  where "id" = $3
  returning *;

-- known
select "id"
  from "keptSounds"
  where "id" in ($1, $2);

-- end
update "keptSounds"
  set "recordingUntilMs" = $1, "preparedAtMs" = $2
  where "id" = $3;
update "keptSounds"
  set "momentsUntilMs" = $1, "preparedAtMs" = $2
  where "id" = $3;

-- endAll
update "keptSounds"
  set "recordingUntilMs" = $1, "momentsUntilMs" = $2
  where "id" = $3;

-- remove
delete from "keptSounds"
  where "id" = $1;
delete from "keptSounds"
  where "id" = $1
  and ("preparingUntilMs" is null or "preparingUntilMs" < $2);

-- prediction/incoming/arrivals.ts

-- enter
insert into "arrivingUploads" ("id", "accountId", "idempotencyKey", "createdAtMs", "seenAtMs")
  values ($1, $2, $3, $4, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);

-- leave
delete from "arrivingUploads"
  where "id" = $1;

-- ofAccount
select "id", "createdAtMs"
  from "arrivingUploads"
  where "seenAtMs" > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1
  and "accountId" = $2;

-- find
select "id", "createdAtMs"
  from "arrivingUploads"
  where "seenAtMs" > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1
  and "accountId" = $2
  and ("id" = $3 or "idempotencyKey" = $4);

-- beat
insert into "arrivingUploads" ("id", "accountId", "idempotencyKey", "createdAtMs", "seenAtMs")
  values ($1, $2, $3, $4, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
update "arrivingUploads"
  set "seenAtMs" = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  where "id" in ($1);
delete from "arrivingUploads"
  where "seenAtMs" < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1;

-- prediction/incoming/stray-uploads.ts

-- removeStrayUploads
select "uploadName"
  from "predictions"
  where "uploadName" in ($1);

-- prediction/queue/job-store.ts

-- accept
select "id", "requestHash", "problem"
  from "predictions"
  where "accountId" = $1
  and "idempotencyKey" = $2
  and "deletedAtMs" is null;
select "id"
  from "accounts"
  where "id" = $1
  and "disabled" = $2;
insert into "predictions" ("id", "accountId", "idempotencyKey", "createdAtMs", "fileName", "sha256", "bytes", "attempts", "uploadName", "network", "requestHash", "state", "fields", "receiver")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);
delete from "predictions"
  where "id" = $1;

-- finish
update "predictions"
  set "state" = $1, "finishedAtMs" = $2, "network" = $3, "progress" = $4, "answer" = $5, "summary" = $6, "searchText" = $7
  where "id" = $8
  and "state" = $9;
insert into "predictionEvidence" ("predictionId", "part", "bytes")
  values ($1, $2, $3);
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence")
  values ($1, $2, $3, $4);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", $1), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in ($2);
update "predictions"
  set "deletedAtMs" = $1
  where "id" = $2;

-- fail
update "predictions"
  set "state" = $1, "finishedAtMs" = $2, "network" = $3, "progress" = $4, "problem" = $5, "uploadName" = $6
  where "id" = $7
  and "state" = $8;
update "predictions"
  set "deletedAtMs" = $1
  where "id" = $2;

-- setAttempts
update "predictions"
  set "attempts" = $1
  where "id" = $2;

-- forget
delete from "predictions"
  where "id" = $1
  and "deletedAtMs" is not null;

-- discard
delete from "predictions"
  where "id" = $1
  and "state" = $2
  returning "uploadName";

-- outcomeOf
select "accountId", "problem", length("answer") as "answerBytes"
  from "predictions"
  where "id" = $1;

-- forgetUpload
update "predictions"
  set "uploadName" = $1
  where "id" = $2
  and "deletedAtMs" is distinct from $3;

-- find
select "id", "accountId", "network", "idempotencyKey", "createdAtMs", "fileName", "sha256", "bytes", "attempts", "uploadName", "fields"
  from "predictions"
  where "id" = $1
  and "state" = $2;

-- notFinalized
select "id", "accountId", "uploadName", "fields"
  from "predictions"
  where "uploadName" is not null
  and "state" = $1
  and "finishedAtMs" < $2;

-- loadLeftovers
delete from "predictions"
  where "state" = $1
  and "idempotencyKey" is null;
update "predictions"
  set "network" = $1
  where "network" is not null;
select "id", "accountId", "network", "idempotencyKey", "createdAtMs", "fileName", "sha256", "bytes", "attempts", "state", "uploadName", "fields"
  from "predictions"
  where "uploadName" is not null
  order by "createdAtMs";

-- prediction/queue/postgres/work-rows.ts

-- readWork
SELECT id, "accountId", problem, length(answer) AS "answerBytes", progress, state = 'queued'
  AND progress IS NULL
  AND ( SELECT bool_or(id = prediction.id::uuid AND state < 'active')
    AND bool_or(state = 'active')
    FROM "pgboss"."job"
    WHERE name = $1
    AND state <= 'active'
    AND (state = 'active' OR id = prediction.id::uuid) ) IS TRUE AS "behindOthers"
  FROM predictions AS prediction
  WHERE id = ANY($2);

-- writeProgress
WITH changed AS ( UPDATE predictions SET progress = $1 WHERE id = $2 AND state = 'queued' RETURNING id ) SELECT pg_notify($3, '')
  FROM changed;

-- findWithoutJob
SELECT id, "accountId", bytes
  FROM predictions
  WHERE state = 'queued'
  AND "createdAtMs" < $1
  AND NOT EXISTS ( SELECT
    FROM "pgboss"."job" AS job
    WHERE job.name = $2
    AND job.id = predictions.id::uuid );

-- countWaiting
SELECT count(*) AS waiting, coalesce(extract(epoch FROM now() - min(created_on)), 0)::float8 AS "waitingSeconds"
  FROM "pgboss"."job"
  WHERE name = $1
  AND state < 'active';

-- prediction/queue/shared-admission.ts

-- check
select sum(places) as "places", avg("jobSeconds") as "jobSeconds"
  from "workers"
  where "seenAtMs" > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1;
SELECT count(*) FILTER ( WHERE ("accountId" IS NULL OR "byAccount" <= $1) AND (network IS NULL OR "byNetwork" <= $2) ) AS taken, count(*) FILTER (WHERE "accountId" = $3) AS "ofAccount", count(*) FILTER (WHERE network = $4) AS "ofNetwork"
  FROM ( SELECT "accountId", network, row_number() OVER (PARTITION BY "accountId" ORDER BY "createdAtMs") AS "byAccount", row_number() OVER (PARTITION BY network ORDER BY "createdAtMs") AS "byNetwork"
    FROM predictions
    WHERE state = 'queued' ) AS jobs;

-- prediction/queue/worker-register.ts

-- (opened and closed)
insert into "workers" ("id", "places", "jobSeconds", "seenAtMs")
  values ($1, $2, $3, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  on conflict ("id") do update set "places" = $4, "jobSeconds" = $5, "seenAtMs" = (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
delete from "workers"
  where "seenAtMs" < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1;
delete from "workers"
  where "id" = $1;

-- readWorkers
select sum(places) as "places", avg("jobSeconds") as "jobSeconds"
  from "workers"
  where "seenAtMs" > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1;

-- prediction/resumable/upload-store.ts

-- add
insert into "resumableUploads" ("id", "accountId", "createdAtMs", "bytes", "metadata", "sha256", "usedAtMs")
  values ($1, $2, $3, $4, $5, $6, $7);

-- find
select *
  from "resumableUploads"
  where "id" = $1;

-- ofAccount
select *
  from "resumableUploads"
  where "accountId" = $1
  and "usedAtMs" is null
  order by "createdAtMs";

-- noteHash
update "resumableUploads"
  set "sha256" = $1
  where "id" = $2;

-- take
update "resumableUploads"
  set "usedAtMs" = $1
  where "id" = $2
  and "usedAtMs" is null;

-- remove
delete from "resumableUploads"
  where "id" = $1;

-- removeOlder
delete from "resumableUploads"
  where "createdAtMs" < $1
  returning "id";

-- removeAccount
delete from "resumableUploads"
  where "accountId" = $1
  and "createdAtMs" <= $2
  returning "id";

-- waitingIds
select "id"
  from "resumableUploads"
  where "usedAtMs" is null;

-- prediction/sharing/link-store.ts

-- ofAccount
select "predictionLinks"."id", "predictionId", "predictionLinks"."createdAtMs", "sound", "fileName"
  from "predictionLinks"
  inner join "predictions" on "predictions"."id" = "predictionLinks"."predictionId"
  where "predictions"."deletedAtMs" is null
  and "predictions"."state" = $1
  and "predictionLinks"."accountId" = $2
  order by "predictionLinks"."createdAtMs" desc, "predictionLinks"."id";
select "predictionId", "commonName"
  from "predictionSpecies"
  where "predictionId" in ($1)
  order by "confidence" desc;

-- find
select "predictions"."id", "predictionLinks"."accountId", "sound", "region", length("predictions"."answer") as "answerBytes"
  from "predictionLinks"
  inner join "predictions" on "predictions"."id" = "predictionLinks"."predictionId"
  left join "accounts" on "accounts"."id" = "predictionLinks"."accountId"
  where "predictions"."deletedAtMs" is null
  and "predictions"."state" = $1
  and "tokenHash" = $2
  and ("accounts"."disabled" is null or "accounts"."disabled" = $3);

-- add
select count(*) as "count"
  from "predictionLinks"
  where "accountId" = $1;
insert into "predictionLinks" ("id", "tokenHash", "accountId", "predictionId", "region", "createdAtMs", "sound")
  values ($1, $2, $3, $4, $5, $6, $7);

-- revoke
delete from "predictionLinks"
  where "accountId" = $1
  and "id" = $2;

-- revokeAll
delete from "predictionLinks"
  where "accountId" = $1
  and "createdAtMs" <= $2;

-- prediction/stored/conditions-store.ts

-- fieldsOf
select "fields"
  from "predictions"
  where "id" = $1
  and "accountId" = $2
  and "deletedAtMs" is null
  and "state" = $3;

-- areChanged
select "predictionId"
  from "firstAnswers"
  where "predictionId" = $1;

-- replace
select "fileName"
  from "predictions"
  where "id" = $1
  and "accountId" = $2
  and "deletedAtMs" is null
  and "state" = $3;
insert into "firstAnswers" ("predictionId", "answer", "fields", "summary") select "id", "answer" as "answer", "fields", "summary" as "summary"
  from "predictions"
  where "id" = $1
  on conflict ("predictionId") do nothing;
update "predictions"
  set "answer" = $1, "summary" = $2, "fields" = $3
  where "id" = $4;
select *
  from "predictionReviews"
  where "predictionId" in ($1)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in ($2)
    group by "predictionId", "scientificName")
  order by "scientificName";
update "predictions"
  set "searchText" = $1
  where "id" = $2;
delete from "predictionSpecies"
  where "predictionId" = $1;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values ($1, $2, $3, $4, $5);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", $1), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in ($2);

-- restoreFirst
select "fileName"
  from "predictions"
  where "id" = $1
  and "accountId" = $2
  and "deletedAtMs" is null
  and "state" = $3;
select "answer", "fields", "summary"
  from "firstAnswers"
  where "predictionId" = $1;
update "predictions"
  set "answer" = $1, "fields" = $2, "summary" = $3
  where "id" = $4;
delete from "firstAnswers"
  where "predictionId" = $1;
select *
  from "predictionReviews"
  where "predictionId" in ($1)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in ($2)
    group by "predictionId", "scientificName")
  order by "scientificName";
update "predictions"
  set "searchText" = $1
  where "id" = $2;
delete from "predictionSpecies"
  where "predictionId" = $1;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values ($1, $2, $3, $4, $5);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", $1), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in ($2);

-- prediction/stored/prediction-store.ts

-- find
select "id", "createdAtMs", "state", "fileName", "bytes", "problem", "uploadName", length("answer") as "answerBytes", "idempotencyKey"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" is null
  and ("id" = $2 or "idempotencyKey" = $3);

-- list
select "id", "createdAtMs", "fileName", "summary", (fields::json ->> 'date') as "statedDay", (fields::json ->> 'latitude')::double precision as "latitude", (fields::json ->> 'longitude')::double precision as "longitude"
  from "predictions"
  where "id" in (select "id"
    from "predictions"
    where "accountId" = $1
    and "deletedAtMs" is null
    and "state" = 'done'
    and 1 = 1
    order by "createdAtMs" desc, "id" desc
    limit $2)
  order by "createdAtMs" desc, "id" desc;
select "id", "createdAtMs", "fileName", "summary", (fields::json ->> 'date') as "statedDay", (fields::json ->> 'latitude')::double precision as "latitude", (fields::json ->> 'longitude')::double precision as "longitude"
  from "predictions"
  where "id" in (select "id"
    from "predictions"
    where "accountId" = $1
    and "deletedAtMs" is null
    and "state" = 'done'
    and ("searchText" like $2 and ("searchText" like $3 or "id" in (select "predictionId"
      from "predictionSpecies"
      where ("ownerId" = $4 or "ownerId" is null)
      and "scientificName" = ANY ($5::text[]))))
    order by "createdAtMs" desc, "id" desc
    limit $6)
  order by "createdAtMs" desc, "id" desc;
select "id", "createdAtMs", "fileName", "summary", (fields::json ->> 'date') as "statedDay", (fields::json ->> 'latitude')::double precision as "latitude", (fields::json ->> 'longitude')::double precision as "longitude"
  from "predictions"
  where "id" in (select "id"
    from "predictions"
    where "accountId" = $1
    and "deletedAtMs" is null
    and "state" = 'done'
    and ("createdAtMs", "id") < ($2, $3)
    and 1 = 1
    and "id" in (select "predictionId"
      from "predictionSpecies"
      where ("ownerId" = $4 or "ownerId" is null)
      and "scientificName" = ANY ($5::text[]))
    and "id" in (select "predictionId"
      from "predictionSpecies"
      where ("ownerId" = $6 or "ownerId" is null)
      and "confirmed" = 1)
    and "sha256" = $7
    and coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')) >= $8
    and coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')) <= $9
    and ((fields::json ->> 'latitude')::double precision >= $10 and (fields::json ->> 'latitude')::double precision <= $11 and (((fields::json ->> 'longitude')::double precision >= $12 and (fields::json ->> 'longitude')::double precision <= $13) or ((fields::json ->> 'longitude')::double precision >= $14 and (fields::json ->> 'longitude')::double precision <= $15)))
    order by "createdAtMs" desc, "id" desc
    limit $16)
  order by "createdAtMs" desc, "id" desc;

-- inWork
select "id", "createdAtMs", "state", "fileName", "bytes", "problem", "uploadName", length("answer") as "answerBytes"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" is null
  and "state" = 'queued'
  order by "createdAtMs" desc;

-- failed
select "id", "createdAtMs", "state", "fileName", "bytes", "problem", "uploadName", length("answer") as "answerBytes"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" is null
  and "state" = 'failed'
  order by "finishedAtMs" desc
  limit $2;

-- species
select "predictionId"
  from "predictionSpecies"
  where "ownerId" is null
  limit $1;
select "scientificName", "commonName", max("sentAtMs") as "lastMs", min("recordedOn" || ' ' || "sentAtMs" || ' ' || "predictionId") as "first", max("confidence") as "confidence", sum("confirmed") as "confirmed", count(*) as "predictions"
  from (select "predictionId", "scientificName", "commonName", "confidence", "confirmed", "createdAtMs" as "sentAtMs", coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')) as "recordedOn"
    from "predictions"
    inner join "predictionSpecies" on "predictionSpecies"."predictionId" = "predictions"."id"
    where "accountId" = $1
    and "deletedAtMs" is null) as "heard"
  group by "scientificName", "commonName"
  order by "lastMs" desc;
select "id"
  from "predictions"
  where "id" in ($1)
  and (fields::json ->> 'date') is not null;
select "scientificName", "commonName", max("sentAtMs") as "lastMs", min("recordedOn" || ' ' || "sentAtMs" || ' ' || "predictionId") as "first", max("confidence") as "confidence", sum("confirmed") as "confirmed", count(*) as "predictions"
  from (select "predictionId", "scientificName", "commonName", "confidence", "confirmed", "sentAtMs" as "sentAtMs", "recordedOn" as "recordedOn"
    from "predictionSpecies"
    where "ownerId" = $1
    and "predictionId" not in (select "id"
      from "predictions"
      where "accountId" = $2
      and "deletedAtMs" >= $3)) as "heard"
  group by "scientificName", "commonName"
  order by "lastMs" desc;

-- heardBefore
select "summary", "createdAtMs", coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')) as "recordedOn"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" is null
  and "id" = $2;
select "predictionId"
  from "predictionSpecies"
  where "ownerId" is null
  limit $1;
select "scientificName", count(*) filter(where "recordedOn" >= $1) as "timesThisYear", max(case when "predictionId" <> $2 then "recordedOn" end) as "lastHeardOn"
  from (select "predictionId", "scientificName", "commonName", "confidence", "confirmed", "createdAtMs" as "sentAtMs", coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')) as "recordedOn"
    from "predictions"
    inner join "predictionSpecies" on "predictionSpecies"."predictionId" = "predictions"."id"
    where "accountId" = $3
    and "deletedAtMs" is null) as "heard"
  where "scientificName" in ($4)
  and ("recordedOn", "sentAtMs", "predictionId") <= ($5, $6, $7)
  group by "scientificName";

-- days
with "recorded" as materialized (select coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')) as "day"
    from "predictions"
    where "accountId" = $1
    and "deletedAtMs" is null
    and "state" = 'done') select "day", count(*) as "predictions"
  from "recorded"
  group by "day"
  order by "day" desc;

-- completeSomeSpecies
select "predictionId"
  from "predictionSpecies"
  where "ownerId" is null
  limit $1;
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", $1), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in ($2);

-- answerOf
select "answer"
  from "predictions"
  where "id" = $1;

-- evidenceOf
select "bytes"
  from "predictionEvidence"
  where "predictionId" = $1
  and "part" = $2;

-- evidenceBytesOf
select sum(length("bytes")) as "bytes"
  from "predictionEvidence"
  where "predictionId" = $1;

-- remove
update "predictions"
  set "deletedAtMs" = $1
  where "id" in (select "id"
    from "predictions"
    where "accountId" = $2
    and "deletedAtMs" is null
    and state IN ('done', 'failed')
    limit $3);
update "predictions"
  set "deletedAtMs" = $1
  where "id" in (select "id"
    from "predictions"
    where "accountId" = $2
    and "deletedAtMs" is null
    and state IN ('done', 'failed')
    and "id" = $3
    limit $4);

-- restore
select "id", "idempotencyKey"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" > $2;
select "id"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" is null
  and "idempotencyKey" = $2;
update "predictions"
  set "deletedAtMs" = $1, "idempotencyKey" = $2
  where "id" = $3;
select "id", "idempotencyKey"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" > $2
  and ("id" = $3 or "idempotencyKey" = $4);

-- overdue
select "id", "accountId"
  from "predictions"
  where "deletedAtMs" <= $1;
select "id", "accountId"
  from "predictions"
  where "state" = 'failed'
  and "finishedAtMs" <= $1;

-- goneWithSound
select "predictionId" as "id", "accountId"
  from "keptSounds"
  where not exists (select "id"
    from "predictions"
    where "predictions"."id" = "keptSounds"."predictionId");

-- purge
delete from "predictionEvidence"
  where "predictionId" = $1
  and "part" = (select min("part") as "first"
    from "predictionEvidence"
    where "predictionId" = $2);
delete from "predictions"
  where "id" = $1;

-- removeAccount
select "id", "uploadName"
  from "predictions"
  where "accountId" = $1
  and "createdAtMs" <= $2
  and "uploadName" is not null;
delete from "predictions"
  where "accountId" = $1
  and "createdAtMs" <= $2
  and "state" = $3;
update "predictions"
  set "deletedAtMs" = $1, "uploadName" = $2
  where "id" in (select "id"
    from "predictions"
    where "accountId" = $3
    and "createdAtMs" <= $4
    and "deletedAtMs" is distinct from $5
    limit $6);

-- answersOf
select "id"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" is null
  and "state" = $2
  order by "createdAtMs", "id";
select length("answer") as "answerBytes"
  from "predictions"
  where "accountId" = $1
  and "deletedAtMs" is null
  and "id" = $2;

-- prediction/stored/review-store.ts

-- of
select *
  from "predictionReviews"
  where "predictionId" in ($1)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in ($2)
    group by "predictionId", "scientificName")
  order by "scientificName";

-- latest
select *
  from "predictionReviews"
  where "predictionId" in ($1)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in ($2)
    group by "predictionId", "scientificName")
  order by "scientificName";

-- historyOf
select *
  from "predictionReviews"
  where "predictionId" = $1
  order by "sequence";

-- ofAll
select *
  from "predictionReviews"
  where "predictionId" in ($1, $2)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in ($3, $4)
    group by "predictionId", "scientificName")
  order by "scientificName";

-- put
select "fileName", "summary", "searchText"
  from "predictions"
  where "id" = $1
  and "accountId" = $2
  and "deletedAtMs" is null
  and "state" = $3;
select *
  from "predictionReviews"
  where "predictionId" in ($1)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in ($2)
    group by "predictionId", "scientificName")
  order by "scientificName";
insert into "predictionReviews" ("scientificName", "commonName", "confidence", "verdict", "toScientificName", "toCommonName", "predictionId", "sequence", "atMs")
  values ($1, $2, $3, $4, $5, $6, $7, (select coalesce(max("sequence"), 0) + 1 as "next"
    from "predictionReviews"
    where "predictionId" = $8), $9);
update "predictions"
  set "searchText" = $1
  where "id" = $2;
delete from "predictionSpecies"
  where "predictionId" = $1;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values ($1, $2, $3, $4, $5);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", $1), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in ($2);

-- listAgain
select *
  from "predictionReviews"
  where "predictionId" in ($1)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in ($2)
    group by "predictionId", "scientificName")
  order by "scientificName";
update "predictions"
  set "searchText" = $1
  where "id" = $2;
delete from "predictionSpecies"
  where "predictionId" = $1;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values ($1, $2, $3, $4, $5);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", $1), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in ($2);

-- withdraw
select "fileName", "summary", "searchText"
  from "predictions"
  where "id" = $1
  and "accountId" = $2
  and "deletedAtMs" is null
  and "state" = $3;
select *
  from "predictionReviews"
  where "predictionId" in ($1)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in ($2)
    group by "predictionId", "scientificName")
  order by "scientificName";
insert into "predictionReviews" ("scientificName", "commonName", "confidence", "verdict", "toScientificName", "toCommonName", "predictionId", "sequence", "atMs")
  values ($1, $2, $3, $4, $5, $6, $7, (select coalesce(max("sequence"), 0) + 1 as "next"
    from "predictionReviews"
    where "predictionId" = $8), $9);
update "predictions"
  set "searchText" = $1
  where "id" = $2;
delete from "predictionSpecies"
  where "predictionId" = $1;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values ($1, $2, $3, $4, $5);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", $1), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields::json ->> 'date', to_char(to_timestamp("createdAtMs" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in ($2);

-- settings/settings.ts

-- (opened and closed)
select *
  from "settings";

-- isUnset
select "name"
  from "settings"
  limit $1;

-- save
select *
  from "settings";
insert into "settings" ("name", "value")
  values ($1, $2)
  on conflict ("name") do update set "value" = $3;

-- settings/setup-codes.ts

-- make
delete from "setupCodes";
insert into "setupCodes" ("codeHash", "expiresAtMs")
  values ($1, $2);
delete from "setupCodes"
  where "expiresAtMs" <= $1;

-- isOpen
select *
  from "setupCodes"
  where "expiresAtMs" > $1
  and "wrongTries" < $2;

-- check
select *
  from "setupCodes"
  where "expiresAtMs" > $1
  and "wrongTries" < $2;
update "setupCodes"
  set "wrongTries" = "wrongTries" + $1;

-- use
select *
  from "setupCodes"
  where "expiresAtMs" > $1
  and "wrongTries" < $2;
delete from "setupCodes";

-- isNew
select 1 as "one"
  from "settings"
  limit $1;
select 1 as "one"
  from "accounts"
  limit $1;
select 1 as "one"
  from "termsAcceptances"
  limit $1;
