-- What each method of a repository sends to SQLite, for review.
-- Written by `node apps/server/src/testing/statements/write-statements.ts`; a test fails when it is out of date.

-- admin/usage.ts

-- usage
select count(*) as "total", count(case when "disabled" = ? then 1 end) as "disabled", count(case when "createdAtMs" >= ? then 1 end) as "created"
  from "accounts";
select count(*) as "total", count(case when "state" = ? then 1 end) as "waiting", count(case when "state" = ? then 1 end) as "failed", count(case when "createdAtMs" >= ? then 1 end) as "recent", sum(case when "createdAtMs" >= ? then "bytes" end) as "recentBytes", count(distinct case when "createdAtMs" >= ? then "accountId" end) as "senders"
  from "predictions"
  where "accountId" is not null
  and "deletedAtMs" is null;
select count(*) as "total", count("recordingUntilMs") as "whole", sum("durationSeconds") as "seconds"
  from "keptSounds";
select count(*) as "total"
  from "invitations"
  where "usedAtMs" is null
  and "expiresAtMs" > ?;
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
  where "id" = ?;

-- findAccountByEmail
select *
  from "accounts"
  where "email" = ?;

-- listAccounts
select *
  from "accounts"
  where "id" > ?
  order by "id"
  limit ?;

-- insertAccount
insert into "accounts" ("id", "email", "emailVerified", "passwordHash", "passwordUpdatedAtMs", "displayName", "photoUrl", "disabled", "customAttributes", "createdAtMs", "lastLoginAtMs", "lastRefreshAtMs", "validSinceSeconds")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;

-- changeAccount
update "accounts"
  set "id" = ?, "emailVerified" = ?, "disabled" = ?
  where "id" = ?
  returning *;

-- identity/accounts/sessions.ts

-- open
update "accounts"
  set "validSinceSeconds" = ?
  where "id" = ?
  and "validSinceSeconds" > ?;
insert into "sessions" ("id", "authTimeSeconds", "accountId", "refreshTokenHash", "createdAtMs", "lastUsedAtMs", "userAgent", "endedAtMs", "endReason")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- isOpen
select "id"
  from "sessions"
  where "id" = ?
  and "accountId" = ?
  and "endedAtMs" is null;

-- use
select *
  from "sessions"
  where "refreshTokenHash" = ?;
update "sessions"
  set "lastUsedAtMs" = ?, "currentTokenHash" = ?, "previousTokenHash" = ?, "successorKey" = ?, "rotatedAtMs" = ?
  where "id" = ?;
update "sessions"
  set "endedAtMs" = ?, "endReason" = ?, "userAgent" = ?
  where "accountId" = ?
  and "endedAtMs" is null
  and "id" = ?;

-- list
select "id", "authTimeSeconds", "createdAtMs", "lastUsedAtMs", "userAgent"
  from "sessions"
  where "accountId" = ?
  and "endedAtMs" is null
  and "lastUsedAtMs" > ?
  order by "lastUsedAtMs" desc
  limit ?;

-- end
delete from "apiTokens"
  where "accountId" = ?;
delete from "oneTimeCodes"
  where "accountId" = ?
  and "requestType" = ?;
update "sessions"
  set "endedAtMs" = ?, "endReason" = ?, "userAgent" = ?
  where "accountId" = ?
  and "endedAtMs" is null;
update "sessions"
  set "endedAtMs" = ?, "endReason" = ?, "userAgent" = ?
  where "accountId" = ?
  and "endedAtMs" is null
  and "id" = ?;
update "sessions"
  set "endedAtMs" = ?, "endReason" = ?, "userAgent" = ?
  where "accountId" = ?
  and "endedAtMs" is null
  and "id" != ?;

-- purge
update "sessions"
  set "lastUsedAtMs" = ?
  where "lastUsedAtMs" > ?;
delete from "sessions"
  where "endedAtMs" < ?;
delete from "sessions"
  where "lastUsedAtMs" < ?;

-- identity/accounts/terms.ts

-- recordAcceptance
insert into "termsAcceptances" ("accountId", "version", "acceptedAtMs")
  values (?, ?, ?)
  on conflict do nothing;

-- listAcceptances
select *
  from "termsAcceptances"
  where "accountId" = ?
  order by "acceptedAtMs" desc;

-- identity/accounts/account-deletion.ts

-- delete
delete from "apiTokens"
  where "accountId" = ?;
delete from "oneTimeCodes"
  where "accountId" = ?
  and "requestType" = ?;
update "sessions"
  set "endedAtMs" = ?, "endReason" = ?, "userAgent" = ?
  where "accountId" = ?
  and "endedAtMs" is null;
delete from "invitations"
  where ("accountId" = ? or "email" in (select "email"
    from "accounts"
    where "id" = ?));
delete from "accounts"
  where "id" = ?;
delete from "termsAcceptances"
  where "accountId" = ?;
delete from "accountSettings"
  where "accountId" = ?;
insert into "accountDeletions" ("accountId", "deletedAtMs")
  values (?, ?)
  on conflict ("accountId") do update set "deletedAtMs" = ?;
delete from "accountDeletions"
  where "accountId" = ?
  and "deletedAtMs" = ?;

-- deleteKept
delete from "apiTokens"
  where "accountId" = ?;
delete from "oneTimeCodes"
  where "accountId" = ?
  and "requestType" = ?;
update "sessions"
  set "endedAtMs" = ?, "endReason" = ?, "userAgent" = ?
  where "accountId" = ?
  and "endedAtMs" is null;
delete from "termsAcceptances"
  where "accountId" = ?;
delete from "accountSettings"
  where "accountId" = ?;
insert into "accountDeletions" ("accountId", "deletedAtMs")
  values (?, ?)
  on conflict ("accountId") do update set "deletedAtMs" = ?;
delete from "accountDeletions"
  where "accountId" = ?
  and "deletedAtMs" = ?;

-- resume
select *
  from "accountDeletions";
delete from "accountDeletions"
  where "accountId" = ?
  and "deletedAtMs" = ?;

-- identity/accounts/account-ending.ts

-- follow
select "disabledAtMs"
  from "accountEndings"
  where "accountId" = ?;
delete from "apiTokens"
  where "accountId" = ?;
delete from "oneTimeCodes"
  where "accountId" = ?
  and "requestType" = ?;
update "sessions"
  set "endedAtMs" = ?, "endReason" = ?, "userAgent" = ?
  where "accountId" = ?
  and "endedAtMs" is null;
delete from "accountEndings"
  where "accountId" = ?
  and "disabledAtMs" = ?;

-- resume
select "accountId"
  from "accountEndings";
select "disabledAtMs"
  from "accountEndings"
  where "accountId" = ?;
delete from "apiTokens"
  where "accountId" = ?;
delete from "oneTimeCodes"
  where "accountId" = ?
  and "requestType" = ?;
update "sessions"
  set "endedAtMs" = ?, "endReason" = ?, "userAgent" = ?
  where "accountId" = ?
  and "endedAtMs" is null;
delete from "accountEndings"
  where "accountId" = ?
  and "disabledAtMs" = ?;

-- disableAccount
update "accounts"
  set "id" = ?, "disabled" = ?
  where "id" = ?
  returning *;
insert into "accountEndings" ("accountId", "disabledAtMs")
  values (?, ?)
  on conflict ("accountId") do update set "disabledAtMs" = ?;

-- hasEnded
select "accountId"
  from "accountEndings"
  where "accountId" = ?;

-- identity/api-tokens/api-tokens.ts

-- verify
select *
  from "apiTokens"
  where ("expiresAtMs" is null or "expiresAtMs" > ?)
  and exists (select "accounts"."id"
    from "accounts"
    where "accounts"."id" = "apiTokens"."accountId"
    and "accounts"."disabled" = ?)
  and "tokenHash" = ?;
update "apiTokens"
  set "lastUsedAtMs" = ?
  where "id" = ?;

-- holds
select *
  from "apiTokens"
  where ("expiresAtMs" is null or "expiresAtMs" > ?)
  and exists (select "accounts"."id"
    from "accounts"
    where "accounts"."id" = "apiTokens"."accountId"
    and "accounts"."disabled" = ?)
  and "apiTokens"."id" = ?;

-- list
select *
  from "apiTokens"
  where "accountId" = ?
  order by "createdAtMs" desc, "id";

-- create
select "id"
  from "sessions"
  where "id" = ?
  and "accountId" = ?
  and "endedAtMs" is null;
select count(*) as "count"
  from "apiTokens"
  where "accountId" = ?;
insert into "apiTokens" ("id", "accountId", "tokenHash", "name", "mayRead", "mayPredict", "createdAtMs", "expiresAtMs", "lastUsedAtMs")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- revoke
delete from "apiTokens"
  where "id" = ?
  and "accountId" = ?;

-- endAll
select *
  from "apiTokens"
  where "accountId" = ?
  order by "createdAtMs" desc, "id";
delete from "apiTokens"
  where "accountId" = ?;

-- purge
delete from "apiTokens"
  where "expiresAtMs" < ?;

-- identity/api-tokens/end-api-tokens.ts

-- endApiTokens
delete from "apiTokens"
  where "accountId" = ?;

-- identity/codes/one-time-codes.ts

-- create
insert into "oneTimeCodes" ("codeHash", "accountId", "requestType", "email", "newEmail", "createdAtMs", "expiresAtMs")
  values (?, ?, ?, ?, ?, ?, ?);

-- check
select *
  from "oneTimeCodes"
  where "codeHash" = ?;

-- use
delete from "oneTimeCodes"
  where "codeHash" = ?
  returning *;

-- voidAll
delete from "oneTimeCodes"
  where "accountId" = ?;

-- voidOutdated
delete from "oneTimeCodes"
  where "accountId" = ?
  and "requestType" in (?, ?, ?);

-- purge
update "oneTimeCodes"
  set "expiresAtMs" = "expiresAtMs" - "createdAtMs" + ?, "createdAtMs" = ?
  where "createdAtMs" > ?;
delete from "oneTimeCodes"
  where "expiresAtMs" < ?;

-- identity/invitations/invitations.ts

-- create
delete from "invitations"
  where "email" = ?
  and "usedAtMs" is null;
insert into "invitations" ("codeHash", "email", "createdAtMs", "expiresAtMs", "usedAtMs", "accountId")
  values (?, ?, ?, ?, ?, ?);

-- check
select *
  from "invitations"
  where "codeHash" = ?;

-- use
select *
  from "invitations"
  where "codeHash" = ?;
update "invitations"
  set "usedAtMs" = ?, "accountId" = ?
  where "codeHash" = ?
  and "usedAtMs" is null;

-- purge
update "invitations"
  set "createdAtMs" = ?, "expiresAtMs" = ?
  where "createdAtMs" > ?;
delete from "invitations"
  where "expiresAtMs" < ?;

-- listInvitations
select *
  from "invitations"
  order by "createdAtMs" desc, "email";

-- revokeInvitation
delete from "invitations"
  where "email" = ?
  and "usedAtMs" is null;

-- listInvitationsOf
select *
  from "invitations"
  where ("accountId" = ? or "email" in (select "email"
    from "accounts"
    where "id" = ?))
  order by "createdAtMs";

-- deleteInvitations
delete from "invitations"
  where ("accountId" = ? or "email" in (select "email"
    from "accounts"
    where "id" = ?));

-- prediction/audio/sound-store.ts

-- find
select *
  from "keptSounds"
  where "accountId" = ?
  and "predictionId" = ?;

-- settingOf
select "keepAudio", "keepShortWhole"
  from "accountSettings"
  where "accountId" = ?;

-- changeSetting
insert into "accountSettings" ("accountId", "keepAudio", "keepShortWhole")
  values (?, ?, ?)
  on conflict ("accountId") do update set "keepAudio" = ?, "keepShortWhole" = ?;

-- forgetSetting
delete from "accountSettings"
  where "accountId" = ?;

-- add
insert into "keptSounds" ("id", "accountId", "predictionId", "createdAtMs", "recordingUntilMs", "momentsUntilMs", "moments", "durationSeconds", "channels", "asSentType", "preparedAtMs", "preparingUntilMs")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("accountId", "predictionId") do nothing;
select *
  from "keptSounds"
  where "accountId" = ?
  and "predictionId" = ?;

-- findAll
select *
  from "keptSounds"
  where "accountId" = ?
  and "predictionId" in (?, ?);

-- ofAccount
select *
  from "keptSounds"
  where "accountId" = ?;

-- all
select *
  from "keptSounds";

-- due
select *
  from "keptSounds"
  where ("recordingUntilMs" <= ? or "momentsUntilMs" <= ?);

-- unprepared
select *
  from "keptSounds"
  where "preparedAtMs" is null
  order by "createdAtMs";

-- claimUnprepared
update "keptSounds"
  set "preparingUntilMs" = ?
  where "id" in (select "id"
    from "keptSounds"
    where "preparedAtMs" is null
    and ("recordingUntilMs" > ? or "momentsUntilMs" > ?)
    and ("preparingUntilMs" is null or "preparingUntilMs" < ?)
    order by "createdAtMs"
    limit ?)
  returning *;

-- renew
update "keptSounds"
  set "preparingUntilMs" = ?
  where "id" in (?, ?);

-- notePrepared
update "keptSounds"
  set "preparedAtMs" = ?, "preparingUntilMs" = ?
  where "id" = ?
  returning *;

-- known
select "id"
  from "keptSounds"
  where "id" in (?, ?);

-- end
update "keptSounds"
  set "recordingUntilMs" = ?, "preparedAtMs" = ?
  where "id" = ?;
update "keptSounds"
  set "momentsUntilMs" = ?, "preparedAtMs" = ?
  where "id" = ?;

-- endAll
update "keptSounds"
  set "recordingUntilMs" = ?, "momentsUntilMs" = ?
  where "id" = ?;

-- remove
delete from "keptSounds"
  where "id" = ?;
delete from "keptSounds"
  where "id" = ?
  and ("preparingUntilMs" is null or "preparingUntilMs" < ?);

-- prediction/incoming/stray-uploads.ts

-- removeStrayUploads
select "uploadName"
  from "predictions"
  where "uploadName" in (?);

-- prediction/queue/job-store.ts

-- accept
select "id", "requestHash", "problem"
  from "predictions"
  where "accountId" = ?
  and "idempotencyKey" = ?
  and "deletedAtMs" is null;
select "id"
  from "accounts"
  where "id" = ?
  and "disabled" = ?;
insert into "predictions" ("id", "accountId", "idempotencyKey", "createdAtMs", "fileName", "sha256", "bytes", "attempts", "uploadName", "network", "requestHash", "state", "fields", "receiver")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
delete from "predictions"
  where "id" = ?;

-- finish
update "predictions"
  set "state" = ?, "finishedAtMs" = ?, "network" = ?, "progress" = ?, "answer" = ?, "summary" = ?, "searchText" = ?
  where "id" = ?
  and "state" = ?;
insert into "predictionEvidence" ("predictionId", "part", "bytes")
  values (?, ?, ?);
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence")
  values (?, ?, ?, ?);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", ?), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in (?);
delete from "predictions"
  where "id" = ?;

-- fail
update "predictions"
  set "state" = ?, "finishedAtMs" = ?, "network" = ?, "progress" = ?, "problem" = ?, "uploadName" = ?
  where "id" = ?
  and "state" = ?;
delete from "predictions"
  where "id" = ?;

-- setAttempts
update "predictions"
  set "attempts" = ?
  where "id" = ?;

-- forget
delete from "predictions"
  where "id" = ?
  and "deletedAtMs" is not null;

-- discard
delete from "predictions"
  where "id" = ?
  and "state" = ?
  returning "uploadName";

-- outcomeOf
select "accountId", "problem", length("answer") as "answerBytes"
  from "predictions"
  where "id" = ?;

-- forgetUpload
update "predictions"
  set "uploadName" = ?
  where "id" = ?
  and "deletedAtMs" is distinct from ?;

-- find
select "id", "accountId", "network", "idempotencyKey", "createdAtMs", "fileName", "sha256", "bytes", "attempts", "uploadName", "fields"
  from "predictions"
  where "id" = ?
  and "state" = ?;

-- notFinalized
select "id", "accountId", "uploadName", "fields"
  from "predictions"
  where "uploadName" is not null
  and "state" = ?
  and "finishedAtMs" < ?;

-- loadLeftovers
delete from "predictions"
  where "state" = ?
  and "idempotencyKey" is null;
update "predictions"
  set "network" = ?
  where "network" is not null;
select "id", "accountId", "network", "idempotencyKey", "createdAtMs", "fileName", "sha256", "bytes", "attempts", "state", "uploadName", "fields"
  from "predictions"
  where "uploadName" is not null
  order by "createdAtMs";

-- prediction/resumable/upload-store.ts

-- add
insert into "resumableUploads" ("id", "accountId", "createdAtMs", "bytes", "metadata", "sha256", "usedAtMs")
  values (?, ?, ?, ?, ?, ?, ?);

-- find
select *
  from "resumableUploads"
  where "id" = ?;

-- ofAccount
select *
  from "resumableUploads"
  where "accountId" = ?
  and "usedAtMs" is null
  order by "createdAtMs";

-- noteHash
update "resumableUploads"
  set "sha256" = ?
  where "id" = ?;

-- take
update "resumableUploads"
  set "usedAtMs" = ?
  where "id" = ?
  and "usedAtMs" is null;

-- remove
delete from "resumableUploads"
  where "id" = ?;

-- removeOlder
delete from "resumableUploads"
  where "createdAtMs" < ?
  returning "id";

-- removeAccount
delete from "resumableUploads"
  where "accountId" = ?
  and "createdAtMs" <= ?
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
  and "predictions"."state" = ?
  and "predictionLinks"."accountId" = ?
  order by "predictionLinks"."createdAtMs" desc, "predictionLinks"."id";
select "predictionId", "commonName"
  from "predictionSpecies"
  where "predictionId" in (?)
  order by "confidence" desc;

-- find
select "predictions"."id", "predictionLinks"."accountId", "sound", "region", length("predictions"."answer") as "answerBytes"
  from "predictionLinks"
  inner join "predictions" on "predictions"."id" = "predictionLinks"."predictionId"
  left join "accounts" on "accounts"."id" = "predictionLinks"."accountId"
  where "predictions"."deletedAtMs" is null
  and "predictions"."state" = ?
  and "tokenHash" = ?
  and ("accounts"."disabled" is null or "accounts"."disabled" = ?);

-- add
select count(*) as "count"
  from "predictionLinks"
  where "accountId" = ?;
insert into "predictionLinks" ("id", "tokenHash", "accountId", "predictionId", "region", "createdAtMs", "sound")
  values (?, ?, ?, ?, ?, ?, ?);

-- revoke
delete from "predictionLinks"
  where "accountId" = ?
  and "id" = ?;

-- revokeAll
delete from "predictionLinks"
  where "accountId" = ?
  and "createdAtMs" <= ?;

-- prediction/stored/conditions-store.ts

-- fieldsOf
select "fields"
  from "predictions"
  where "id" = ?
  and "accountId" = ?
  and "deletedAtMs" is null
  and "state" = ?;

-- areChanged
select "predictionId"
  from "firstAnswers"
  where "predictionId" = ?;

-- replace
select "fileName"
  from "predictions"
  where "id" = ?
  and "accountId" = ?
  and "deletedAtMs" is null
  and "state" = ?;
insert into "firstAnswers" ("predictionId", "answer", "fields", "summary") select "id", "answer" as "answer", "fields", "summary" as "summary"
  from "predictions"
  where "id" = ?
  on conflict ("predictionId") do nothing;
update "predictions"
  set "answer" = ?, "summary" = ?, "fields" = ?
  where "id" = ?;
select *
  from "predictionReviews"
  where "predictionId" in (?)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in (?)
    group by "predictionId", "scientificName")
  order by "scientificName";
update "predictions"
  set "searchText" = ?
  where "id" = ?;
delete from "predictionSpecies"
  where "predictionId" = ?;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values (?, ?, ?, ?, ?);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", ?), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in (?);

-- restoreFirst
select "fileName"
  from "predictions"
  where "id" = ?
  and "accountId" = ?
  and "deletedAtMs" is null
  and "state" = ?;
select "answer", "fields", "summary"
  from "firstAnswers"
  where "predictionId" = ?;
update "predictions"
  set "answer" = ?, "fields" = ?, "summary" = ?
  where "id" = ?;
delete from "firstAnswers"
  where "predictionId" = ?;
select *
  from "predictionReviews"
  where "predictionId" in (?)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in (?)
    group by "predictionId", "scientificName")
  order by "scientificName";
update "predictions"
  set "searchText" = ?
  where "id" = ?;
delete from "predictionSpecies"
  where "predictionId" = ?;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values (?, ?, ?, ?, ?);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", ?), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in (?);

-- prediction/stored/prediction-store.ts

-- find
select "id", "createdAtMs", "state", "fileName", "bytes", "problem", "uploadName", length("answer") as "answerBytes", "idempotencyKey"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" is null
  and ("id" = ? or "idempotencyKey" = ?);

-- list
select "id", "createdAtMs", "fileName", "summary", (fields ->> '$.date') as "statedDay", (fields ->> '$.latitude') as "latitude", (fields ->> '$.longitude') as "longitude"
  from "predictions"
  where "id" in (select "id"
    from "predictions"
    where "accountId" = ?
    and "deletedAtMs" is null
    and "state" = 'done'
    and 1 = 1
    order by "createdAtMs" desc, "id" desc
    limit ?)
  order by "createdAtMs" desc, "id" desc;
select "id", "createdAtMs", "fileName", "summary", (fields ->> '$.date') as "statedDay", (fields ->> '$.latitude') as "latitude", (fields ->> '$.longitude') as "longitude"
  from "predictions"
  where "id" in (select "id"
    from "predictions"
    where "accountId" = ?
    and "deletedAtMs" is null
    and "state" = 'done'
    and ("searchText" like ? and ("searchText" like ? or "id" in (select "predictionId"
      from "predictionSpecies"
      where ("ownerId" = ? or "ownerId" is null)
      and "scientificName" IN (SELECT value
        FROM json_each(?)))))
    order by "createdAtMs" desc, "id" desc
    limit ?)
  order by "createdAtMs" desc, "id" desc;
select "id", "createdAtMs", "fileName", "summary", (fields ->> '$.date') as "statedDay", (fields ->> '$.latitude') as "latitude", (fields ->> '$.longitude') as "longitude"
  from "predictions"
  where "id" in (select "id"
    from "predictions"
    where "accountId" = ?
    and "deletedAtMs" is null
    and "state" = 'done'
    and ("createdAtMs", "id") < (?, ?)
    and 1 = 1
    and "id" in (select "predictionId"
      from "predictionSpecies"
      where ("ownerId" = ? or "ownerId" is null)
      and "scientificName" IN (SELECT value
        FROM json_each(?)))
    and "id" in (select "predictionId"
      from "predictionSpecies"
      where ("ownerId" = ? or "ownerId" is null)
      and "confirmed" = 1)
    and "sha256" = ?
    and coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch')) >= ?
    and coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch')) <= ?
    and ((fields ->> '$.latitude') >= ? and (fields ->> '$.latitude') <= ? and (((fields ->> '$.longitude') >= ? and (fields ->> '$.longitude') <= ?) or ((fields ->> '$.longitude') >= ? and (fields ->> '$.longitude') <= ?)))
    order by "createdAtMs" desc, "id" desc
    limit ?)
  order by "createdAtMs" desc, "id" desc;

-- inWork
select "id", "createdAtMs", "state", "fileName", "bytes", "problem", "uploadName", length("answer") as "answerBytes"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" is null
  and "state" = 'queued'
  order by "createdAtMs" desc;

-- failed
select "id", "createdAtMs", "state", "fileName", "bytes", "problem", "uploadName", length("answer") as "answerBytes"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" is null
  and "state" = 'failed'
  order by "finishedAtMs" desc
  limit ?;

-- species
select "predictionId"
  from "predictionSpecies"
  where "ownerId" is null
  limit ?;
select "scientificName", "commonName", max("sentAtMs") as "lastMs", min("recordedOn" || ' ' || "sentAtMs" || ' ' || "predictionId") as "first", max("confidence") as "confidence", sum("confirmed") as "confirmed", count(*) as "predictions"
  from (select "predictionId", "scientificName", "commonName", "confidence", "confirmed", "createdAtMs" as "sentAtMs", coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch')) as "recordedOn"
    from "predictions"
    inner join "predictionSpecies" on "predictionSpecies"."predictionId" = "predictions"."id"
    where "accountId" = ?
    and "deletedAtMs" is null) as "heard"
  group by "scientificName", "commonName"
  order by "lastMs" desc;
select "id"
  from "predictions"
  where "id" in (?)
  and (fields ->> '$.date') is not null;
select "scientificName", "commonName", max("sentAtMs") as "lastMs", min("recordedOn" || ' ' || "sentAtMs" || ' ' || "predictionId") as "first", max("confidence") as "confidence", sum("confirmed") as "confirmed", count(*) as "predictions"
  from (select "predictionId", "scientificName", "commonName", "confidence", "confirmed", "sentAtMs" as "sentAtMs", "recordedOn" as "recordedOn"
    from "predictionSpecies"
    where "ownerId" = ?
    and "predictionId" not in (select "id"
      from "predictions"
      where "accountId" = ?
      and "deletedAtMs" >= ?)) as "heard"
  group by "scientificName", "commonName"
  order by "lastMs" desc;

-- heardBefore
select "summary", "createdAtMs", coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch')) as "recordedOn"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" is null
  and "id" = ?;
select "predictionId"
  from "predictionSpecies"
  where "ownerId" is null
  limit ?;
select "scientificName", count(*) filter(where "recordedOn" >= ?) as "timesThisYear", max(case when "predictionId" <> ? then "recordedOn" end) as "lastHeardOn"
  from (select "predictionId", "scientificName", "commonName", "confidence", "confirmed", "createdAtMs" as "sentAtMs", coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch')) as "recordedOn"
    from "predictions"
    inner join "predictionSpecies" on "predictionSpecies"."predictionId" = "predictions"."id"
    where "accountId" = ?
    and "deletedAtMs" is null) as "heard"
  where "scientificName" in (?)
  and ("recordedOn", "sentAtMs", "predictionId") <= (?, ?, ?)
  group by "scientificName";

-- days
with "recorded" as materialized (select coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch')) as "day"
    from "predictions"
    where "accountId" = ?
    and "deletedAtMs" is null
    and "state" = 'done') select "day", count(*) as "predictions"
  from "recorded"
  group by "day"
  order by "day" desc;

-- completeSomeSpecies
select "predictionId"
  from "predictionSpecies"
  where "ownerId" is null
  limit ?;
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", ?), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in (?);

-- answerOf
select "answer"
  from "predictions"
  where "id" = ?;

-- evidenceOf
select "bytes"
  from "predictionEvidence"
  where "predictionId" = ?
  and "part" = ?;

-- evidenceBytesOf
select sum(length("bytes")) as "bytes"
  from "predictionEvidence"
  where "predictionId" = ?;

-- remove
update "predictions"
  set "deletedAtMs" = ?
  where "id" in (select "id"
    from "predictions"
    where "accountId" = ?
    and "deletedAtMs" is null
    and state IN ('done', 'failed')
    limit ?);
update "predictions"
  set "deletedAtMs" = ?
  where "id" in (select "id"
    from "predictions"
    where "accountId" = ?
    and "deletedAtMs" is null
    and state IN ('done', 'failed')
    and "id" = ?
    limit ?);

-- restore
select "id", "idempotencyKey"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" > ?;
select "id"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" is null
  and "idempotencyKey" = ?;
update "predictions"
  set "deletedAtMs" = ?, "idempotencyKey" = ?
  where "id" = ?;
select "id", "idempotencyKey"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" > ?
  and ("id" = ? or "idempotencyKey" = ?);

-- overdue
select "id", "accountId"
  from "predictions"
  where "deletedAtMs" <= ?;
select "id", "accountId"
  from "predictions"
  where "state" = 'failed'
  and "finishedAtMs" <= ?;

-- goneWithSound
select "predictionId" as "id", "accountId"
  from "keptSounds"
  where not exists (select "id"
    from "predictions"
    where "predictions"."id" = "keptSounds"."predictionId");

-- purge
delete from "predictionEvidence"
  where "predictionId" = ?
  and "part" = (select min("part") as "first"
    from "predictionEvidence"
    where "predictionId" = ?);
delete from "predictions"
  where "id" = ?;

-- removeAccount
select "id", "uploadName"
  from "predictions"
  where "accountId" = ?
  and "createdAtMs" <= ?
  and "uploadName" is not null;
delete from "predictions"
  where "accountId" = ?
  and "createdAtMs" <= ?
  and "state" = ?;
update "predictions"
  set "deletedAtMs" = ?, "uploadName" = ?
  where "id" in (select "id"
    from "predictions"
    where "accountId" = ?
    and "createdAtMs" <= ?
    and "deletedAtMs" is distinct from ?
    limit ?);

-- answersOf
select "id"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" is null
  and "state" = ?
  order by "createdAtMs", "id";
select length("answer") as "answerBytes"
  from "predictions"
  where "accountId" = ?
  and "deletedAtMs" is null
  and "id" = ?;

-- prediction/stored/review-store.ts

-- of
select *
  from "predictionReviews"
  where "predictionId" in (?)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in (?)
    group by "predictionId", "scientificName")
  order by "scientificName";

-- latest
select *
  from "predictionReviews"
  where "predictionId" in (?)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in (?)
    group by "predictionId", "scientificName")
  order by "scientificName";

-- historyOf
select *
  from "predictionReviews"
  where "predictionId" = ?
  order by "sequence";

-- ofAll
select *
  from "predictionReviews"
  where "predictionId" in (?, ?)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in (?, ?)
    group by "predictionId", "scientificName")
  order by "scientificName";

-- put
select "fileName", "summary", "searchText"
  from "predictions"
  where "id" = ?
  and "accountId" = ?
  and "deletedAtMs" is null
  and "state" = ?;
select *
  from "predictionReviews"
  where "predictionId" in (?)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in (?)
    group by "predictionId", "scientificName")
  order by "scientificName";
insert into "predictionReviews" ("scientificName", "commonName", "confidence", "verdict", "toScientificName", "toCommonName", "predictionId", "sequence", "atMs")
  values (?, ?, ?, ?, ?, ?, ?, (select coalesce(max("sequence"), 0) + 1 as "next"
    from "predictionReviews"
    where "predictionId" = ?), ?);
update "predictions"
  set "searchText" = ?
  where "id" = ?;
delete from "predictionSpecies"
  where "predictionId" = ?;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values (?, ?, ?, ?, ?);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", ?), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in (?);

-- listAgain
select *
  from "predictionReviews"
  where "predictionId" in (?)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in (?)
    group by "predictionId", "scientificName")
  order by "scientificName";
update "predictions"
  set "searchText" = ?
  where "id" = ?;
delete from "predictionSpecies"
  where "predictionId" = ?;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values (?, ?, ?, ?, ?);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", ?), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in (?);

-- withdraw
select "fileName", "summary", "searchText"
  from "predictions"
  where "id" = ?
  and "accountId" = ?
  and "deletedAtMs" is null
  and "state" = ?;
select *
  from "predictionReviews"
  where "predictionId" in (?)
  and ("predictionId", "sequence") in (select "predictionId", max("sequence") as "sequence"
    from "predictionReviews"
    where "predictionId" in (?)
    group by "predictionId", "scientificName")
  order by "scientificName";
insert into "predictionReviews" ("scientificName", "commonName", "confidence", "verdict", "toScientificName", "toCommonName", "predictionId", "sequence", "atMs")
  values (?, ?, ?, ?, ?, ?, ?, (select coalesce(max("sequence"), 0) + 1 as "next"
    from "predictionReviews"
    where "predictionId" = ?), ?);
update "predictions"
  set "searchText" = ?
  where "id" = ?;
delete from "predictionSpecies"
  where "predictionId" = ?;
insert into "predictionSpecies" ("predictionId", "scientificName", "commonName", "confidence", "confirmed")
  values (?, ?, ?, ?, ?);
update "predictionSpecies"
  set "ownerId" = coalesce("predictions"."accountId", ?), "sentAtMs" = "predictions"."createdAtMs", "recordedOn" = coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch'))
  from "predictions"
  where "predictions"."id" = "predictionSpecies"."predictionId"
  and "predictionSpecies"."predictionId" in (?);

-- settings/settings.ts

-- (opened and closed)
select *
  from "settings";

-- isUnset
select "name"
  from "settings"
  limit ?;

-- save
select *
  from "settings";
insert into "settings" ("name", "value")
  values (?, ?)
  on conflict ("name") do update set "value" = ?;

-- settings/setup-codes.ts

-- make
delete from "setupCodes";
insert into "setupCodes" ("codeHash", "expiresAtMs")
  values (?, ?);
delete from "setupCodes"
  where "expiresAtMs" <= ?;

-- isOpen
select *
  from "setupCodes"
  where "expiresAtMs" > ?
  and "wrongTries" < ?;

-- check
select *
  from "setupCodes"
  where "expiresAtMs" > ?
  and "wrongTries" < ?;
update "setupCodes"
  set "wrongTries" = "wrongTries" + ?;

-- use
select *
  from "setupCodes"
  where "expiresAtMs" > ?
  and "wrongTries" < ?;
delete from "setupCodes";

-- isNew
select 1 as "one"
  from "settings"
  limit ?;
select 1 as "one"
  from "accounts"
  limit ?;
select 1 as "one"
  from "termsAcceptances"
  limit ?;
