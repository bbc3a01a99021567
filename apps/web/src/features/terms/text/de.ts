import type { TermsText } from './terms-text.ts';

export const termsText: TermsText = {
  inShort: [
    'Ihre Aufnahmen bleiben Ihre. Sie gehen an diesen Server und an niemanden sonst.',
    'Was die Website über einen Vogel sagt, ist eine Schätzung. Verlassen Sie sich nicht darauf, wo Schaden folgen könnte.',
    'Das Modell darf nur nichtkommerziell genutzt werden; das bindet Sie wie uns.',
    'Alles, was über Sie aufbewahrt wird, können Sie jederzeit mitnehmen und löschen.',
  ],
  sections: [
    {
      id: 'agreement',
      title: 'Die Vereinbarung',
      body: [
        'Diese Bedingungen sind eine Vereinbarung zwischen Ihnen und {businessName} („wir“), die {siteName} („die Website“) mit der freien Software Chiffchaff betreiben. Sie gelten seit dem {effectiveDate}. Mit dem Häkchen auf der ersten Seite oder mit dem Anlegen eines Kontos stimmen Sie ihnen zu; wenn Sie das nicht möchten, nutzen Sie die Website bitte nicht.',
        'Ändern wir die Bedingungen, so ändert sich ihr Datum, und Ihr Konto weist auf die neue Fassung hin und bittet um Zustimmung. Für das, was vorher geschah, gilt die Fassung, der Sie damals zugestimmt haben.',
      ],
    },
    {
      id: 'age',
      title: 'Alter',
      body: [
        'Die Website ist für Menschen ab 18 Jahren. Ab 13 Jahren dürfen Sie sie mit Erlaubnis der Eltern oder Sorgeberechtigten nutzen, die dann für Sie diesen Bedingungen zustimmen und auf die Nutzung achten. Wer jünger als 13 ist, darf kein Konto anlegen; eine Schulklasse kann das Konto ihrer Lehrkraft nutzen.',
      ],
    },
    {
      id: 'intellectual-property',
      title: 'Geistiges Eigentum',
      body: [
        'Der Programmcode von Chiffchaff ist freie Software unter der MIT-Lizenz. Das Modell BirdNET gehört dem K. Lisa Yang Center for Conservation Bioacoustics am Cornell Lab of Ornithology und der Technischen Universität Chemnitz und steht unter CC BY-NC-SA 4.0: nichtkommerzielle Nutzung, mit Nennung der Namen, Weitergabe unter derselben Lizenz. [Über das Modell](/about) sagt, wie es zu nennen und zu zitieren ist.',
        'Name, Zeichen und übrige Inhalte der Website gehören uns oder denen, die dabei genannt sind. Diese Bedingungen geben Ihnen das Recht, sie so zu nutzen, wie die Website gedacht ist, und die genannten Lizenzen geben, was in ihnen steht; mehr wird nicht übertragen.',
      ],
    },
    {
      id: 'representations',
      title: 'Was Sie uns zusichern',
      body: [
        'Mit der Nutzung sichern Sie uns zu, dass',
        {
          list: [
            'Ihre Angaben bei der Anmeldung wahr sind und Sie sie aktuell halten;',
            'Sie alt genug sind oder die Erlaubnis haben, die unter [Alter](#age) verlangt ist;',
            'Sie diesen Bedingungen zustimmen dürfen und die Website im Rahmen der Gesetze und nichtkommerziell nutzen;',
            'Sie die Website als Mensch aufrufen oder mit einem Programm, das ihre Grenzen einhält und nicht umgeht.',
          ],
        },
      ],
    },
    {
      id: 'registration',
      title: 'Registrierung',
      body: [
        'Ein Konto braucht eine E-Mail-Adresse und ein Passwort. Behalten Sie das Passwort für sich; was mit Ihrem Konto geschieht, gilt als von Ihnen getan, bis Sie uns sagen, dass jemand anderes es hat. Einen Anzeigenamen, der täuscht oder beleidigt, dürfen wir ändern.',
      ],
    },
    {
      id: 'prohibited',
      title: 'Verbotenes',
      body: [
        'Die Website ist dazu da, herauszufinden, welche Vögel zu hören sind. Nicht erlaubt ist:',
        {
          list: [
            'sie oder Antworten des Modells kommerziell zu nutzen;',
            'Aufnahmen von Gesprächen zu senden, die ohne Einwilligung der Sprechenden gemacht wurden, oder anderes, dessen Besitz oder Weitergabe das Gesetz verbietet;',
            'mit einer Antwort Wildtiere zu stören, zu fangen oder zu schädigen oder den Ort eines schutzbedürftigen Nestes oder Schlafplatzes preiszugeben;',
            'in fremde Konten oder Daten einzudringen, Adressen zu sammeln oder sich für jemand anderen auszugeben;',
            'den Server anzugreifen, zu überlasten oder auszuforschen, Schadcode einzuschleusen oder Grenzen zu umgehen (Hinweise auf Schwachstellen sind willkommen: Schreiben Sie zuerst uns);',
            'Hinweise auf Herkunft und Lizenz zu entfernen;',
            'Antworten der Website als Urteil von Fachleuten auszugeben.',
          ],
        },
      ],
    },
    {
      id: 'contributions',
      title: 'Ihre Beiträge',
      body: [
        'Was Sie senden oder eingeben, sind Ihre Beiträge: Aufnahmen, Orte, Daten, ein Anzeigename. Die Website veröffentlicht nichts davon, und andere sehen es nicht.',
        'Sie sichern zu, dass Sie es senden dürfen und niemandes Rechte verletzen. Sie stehen dafür ein; wir sehen Beiträge nicht durch, dürfen aber entfernen, was gegen diese Bedingungen oder das Gesetz verstößt.',
      ],
    },
    {
      id: 'contribution-licence',
      title: 'Rechte an Ihren Beiträgen',
      body: [
        'Ihre Beiträge bleiben Ihre. Sie erlauben uns nur, was die Website für das braucht, worum Sie sie bitten: sie zu empfangen, zu decodieren, zu kopieren, auszuwerten, aufzubewahren und Ihnen zu zeigen und vorzuspielen. Diese Erlaubnis ist kostenlos, nicht ausschließlich, geht an niemanden weiter und endet, wenn Sie den Beitrag löschen. Wir trainieren mit Ihren Aufnahmen kein Modell und verkaufen nichts davon.',
      ],
    },
    {
      id: 'reviews',
      title: 'Regeln für Bewertungen',
      body: [
        'Öffentliche Bewertungen gibt es auf der Website nicht. Wo wir einen Platz dafür anbieten, oder wo Sie die Website anderswo bewerten und eine Antwort wünschen, gilt: Sprechen Sie aus eigener Erfahrung; beleidigen und benachteiligen Sie niemanden; keine Werbung, keine Unwahrheiten, keine Kampagnen mit mehreren Konten; keine Behauptungen darüber, ob andere rechtmäßig handeln. Bewertungen, die dagegen verstoßen, dürfen wir ablehnen, kürzen oder entfernen; einen Anspruch auf Veröffentlichung gibt es nicht.',
      ],
    },
    {
      id: 'mobile',
      title: 'Lizenz für die App',
      body: [
        'Die Website lässt sich auf Telefon oder Rechner installieren und öffnet sich dann wie eine App. Das dürfen Sie auf jedem Gerät, das Ihnen gehört oder über das Sie verfügen, für die Nutzung, die diese Bedingungen erlauben. Das Programm dahinter ist freie Software unter eigener Lizenz; wo sie mehr erlaubt, geht sie vor. Kommt die App aus einem Store, so ist dieser an diesen Bedingungen nicht beteiligt und schuldet Ihnen keine Hilfe dafür; seine eigenen Regeln für Apps gelten zusätzlich.',
      ],
    },
    {
      id: 'social',
      title: 'Verknüpfung mit sozialen Medien',
      body: [
        'Die Website verknüpft keine Konten sozialer Medien. Sollten wir das anbieten, so wird es freiwillig sein: Sie würden zusichern, dass Sie das Konto verknüpfen dürfen; wir würden nicht mehr abrufen, als neben dem Knopf steht, kein Passwort davon aufbewahren und die Verknüpfung auf Wunsch jederzeit lösen. Für Ihr Verhältnis zu einem solchen Dienst gelten dessen Bedingungen.',
      ],
    },
    {
      id: 'submissions',
      title: 'Einsendungen',
      body: [
        'Vorschläge, Fragen und Fehlermeldungen zur Website sind willkommen. Was sie vorschlagen, dürfen wir ohne Bezahlung und ohne Nennung Ihres Namens nutzen; Namen und Adresse geben wir nicht weiter. Beiträge zum Programmcode stehen unter dessen Lizenz.',
      ],
    },
    {
      id: 'third-party',
      title: 'Websites und Inhalte Dritter',
      body: [
        'Manche Links führen auf andere Websites, etwa um mehr über eine Art zu erfahren. Eine solche Website wird erst aufgerufen, wenn Sie dem Link folgen; dann gelten ihre eigenen Bedingungen und Datenschutzhinweise. Wir prüfen diese Websites nicht, stehen weder für ihre Inhalte noch für Ihre Geschäfte mit ihnen ein und empfehlen mit einem Link nichts.',
      ],
    },
    {
      id: 'advertisers',
      title: 'Werbung',
      body: [
        'Die Website zeigt keine Werbung; die Lizenz des Modells ist für nichtkommerzielle Nutzung. Sollten wir je einem Förderer danken, so steht dieser für seine Aussagen selbst ein, erfährt von uns nichts über Sie und hat keinen Einfluss auf Antworten.',
      ],
    },
    {
      id: 'management',
      title: 'Verwaltung der Website',
      body: [
        'Wir dürfen auf Verstöße gegen diese Bedingungen achten, entfernen oder sperren, was gegen sie verstößt oder den Server unangemessen belastet, die Nutzung begrenzen und bei Rechtsverstößen die Behörden einschalten. Wir dürfen Funktionen ändern oder beenden und die Website für Wartung abschalten. Wir sind Ihnen zu nichts davon verpflichtet und nicht gehalten, etwas für immer aufzubewahren: Sichern Sie, was Sie behalten möchten.',
      ],
    },
    {
      id: 'privacy',
      title: 'Datenschutzerklärung',
      body: [
        'Verantwortlich für Ihre Daten ist {businessName}; unter [Kontakt](#contact) steht, wie Sie uns erreichen. Was verarbeitet wird, wozu und wie lange:',
        {
          list: [
            'Aufnahmen werden an diesen Server gesendet, ausgewertet und nach der Auswertung gelöscht. Vom Ton wird nicht mehr aufbewahrt, als bei der Aufnahme oder, wo dort nichts gewählt ist, in Ihrem Konto gewählt ist: nichts, ein paar Sekunden um die besten Stellen (womit ein Konto beginnt) oder alles, {retentionDays} Tage lang. Wo Ihr Browser eine Aufnahme nicht zeichnen oder abspielen kann, sagt die Seite das vor dem Senden und bietet an, sie ganz eine halbe Stunde lang aufzubewahren, damit Sie sie anhören können; das geschieht nur, wenn Sie es wählen. Ist seine Zeit um, wird der Ton entfernt. Ohne Konto wird keiner aufbewahrt.',
            'Antworten, die Sie angemeldet erhalten, werden mit Ihrem Konto aufbewahrt, bis Sie sie löschen: die Antwort, der Name der Datei, Ort und Datum, die Sie angegeben haben, und Zahlen, die das Modell errechnet hat und aus denen sich die Antwort neu bilden lässt. Eine Antwort ohne Anmeldung wird nicht aufbewahrt.',
            'Ihr Konto: E-Mail-Adresse, ein Hash Ihres Passworts (nie das Passwort selbst), ein Anzeigename, falls angegeben, ob die Adresse bestätigt ist, welcher Fassung dieser Bedingungen Sie wann zugestimmt haben. Zu jeder Sitzung: Beginn, letzte Nutzung und Name Ihres Browsers, damit Sie sie erkennen und beenden können.',
            'Protokolle: Zeit, Art der Anfrage, Status und Dauer, um den Server in Gang und sicher zu halten. Sie enthalten keine Dateinamen, keine Orte, keine E-Mail-Adressen, keine Token. Ihre Netzwerkadresse dient dazu, Versuche und Anfragen zu begrenzen und Ihnen zu antworten.',
            'E-Mails (Bestätigung, neues Passwort) werden nur verschickt, wenn Sie darum bitten oder Ihr Konto ändern, über unseren Mailserver.',
          ],
        },
        'Aufnahmen, Antworten und Konto verarbeiten wir zur Erfüllung dieser Vereinbarung (Artikel 6 Absatz 1 Buchstabe b der Datenschutz-Grundverordnung), Protokolle und Grenzen aus berechtigtem Interesse an einem sicheren Dienst (Buchstabe f); Ton bewahren wir mit Ihrer Einwilligung auf (Buchstabe a), die Sie jederzeit widerrufen können.',
        'Keine Dritten: Die Website lädt nichts von anderen Servern, misst keine Zugriffe, zeigt keine Werbung und gibt Ihre Daten an niemanden weiter, es sei denn, das Gesetz zwingt uns. Zwei Ausnahmen hängen davon ab, wie diese Website betrieben wird: Wer ihren Server stellt oder ihre E-Mails zustellt, handelt nach unserer Weisung; und wo die Anmeldung bei einem fremden Dienst liegt (etwa bei Google), verarbeitet dieser Adresse und Passwort nach seinen eigenen Regeln.',
        'Orte werden auf diesem Server gesucht. Nach der Position Ihres Geräts wird nur gefragt, wenn Sie den Knopf dafür drücken; gesendet wird sie nur als Ort einer Aufnahme.',
        'Im lokalen Speicher Ihres Browsers liegen, solange Sie angemeldet sind, genau vier Einträge: token, tokenExpiry, user und userId. Ein fünfter, refreshToken, kommt nur hinzu, wenn Sie auf diesem Gerät angemeldet bleiben möchten. Beim Abmelden werden sie entfernt. Ein weiterer Eintrag enthält Einstellungen wie Sprache und Farben und nichts Persönliches. Solange ein Tab offen ist, liegen in seinem Sitzungsspeicher die öffentlichen Einstellungen dieser Website, nach einer von selbst beendeten Anmeldung der Vermerk darüber und, solange Sie angemeldet sind, bis zu 20 Antworten, die Sie darin gelesen haben, damit sie sich auch ohne Verbindung öffnen; die Antworten werden beim Abmelden entfernt. Die Dateien der Seite selbst werden für die Nutzung ohne Verbindung aufbewahrt. Cookies gibt es nicht. Das Häkchen auf der ersten Seite wird nicht gespeichert.',
        'Ihre Rechte: Unter [Ihr Konto](/account) können Sie Ihre Daten einsehen und berichtigen, alles als Datei mitnehmen, eine einzelne Antwort löschen oder das ganze Konto mit allem darin. Außerdem können Sie von uns Auskunft, Berichtigung, Löschung, Einschränkung oder eine Kopie verlangen, der Verarbeitung widersprechen und sich bei einer Datenschutzbehörde beschweren.',
        'Sicherungskopien: Was Sie löschen, ist auf dem laufenden Server sofort weg. Kopien in unseren Sicherungen verschwinden, wenn diese turnusmäßig ersetzt werden, und solche, die eine Aktualisierung des Servers anlegt, nach 30 Tagen; bis dahin dienen sie nur dazu, den Server nach einem Verlust wiederherzustellen.',
      ],
    },
    {
      id: 'copyright',
      title: 'Hinweise auf Urheberrechte',
      body: [
        'Wenn Sie meinen, dass etwas auf der Website Ihr Urheberrecht verletzt, schreiben Sie an die dafür benannte Stelle: {copyrightAgent}. Bitte geben Sie an:',
        {
          list: [
            'um welches Werk es geht und wo auf der Website es zu finden ist;',
            'wer Sie sind und wie Sie zu erreichen sind;',
            'dass Sie in gutem Glauben annehmen, dass weder Rechteinhaber noch Gesetz die Nutzung erlauben;',
            'dass Ihre Angaben wahr sind und Sie Rechteinhaber sind oder für ihn handeln dürfen, mit Unterschrift auf Papier oder elektronisch.',
          ],
        },
        'Wir gehen dem nach und entfernen, was Rechte verletzt. Wer es eingestellt hat, kann mit denselben Angaben und den Gründen, warum es rechtmäßig war, widersprechen; das leiten wir an Sie weiter und dürfen es wiederherstellen, wenn Sie nicht vor Gericht gehen. Wissentlich falsche Hinweise können haftbar machen. Konten, die wiederholt Rechte verletzen, werden geschlossen.',
      ],
    },
    {
      id: 'termination',
      title: 'Dauer und Kündigung',
      body: [
        'Diese Bedingungen gelten, solange Sie die Website nutzen. Sie können sie jederzeit ohne Angabe von Gründen beenden, indem Sie Ihr Konto löschen. Wir können sie mit angemessener Frist beenden und ein Konto sofort sperren oder löschen, wenn schwer gegen diese Bedingungen oder das Gesetz verstoßen wird; wer ausgesperrt wurde, darf sich nicht unter anderem Namen neu registrieren. Schließen wir ein Konto ohne einen solchen Grund, so können Sie Ihre Daten vorher mitnehmen.',
      ],
    },
    {
      id: 'law',
      title: 'Anwendbares Recht',
      body: [
        'Es gilt das Recht von {state}, {country}, ohne dessen Regeln darüber, welches andere Recht anzuwenden wäre. Als Verbraucherin oder Verbraucher behalten Sie den Schutz, den Ihnen das zwingende Recht Ihres Wohnsitzlandes gibt.',
      ],
    },
    {
      id: 'disputes',
      title: 'Beilegung von Streit',
      body: [
        'Wenn etwas nicht stimmt, schreiben Sie zuerst uns. Beide Seiten versuchen dann mindestens {negotiationDays} Tage lang, es im Gespräch zu lösen.',
        'Hilft das nicht, so können beide eine Schlichtung oder ein Schiedsverfahren mit einer Person vereinbaren, die beide anerkennen; gezwungen wird dazu niemand. Sonst entscheiden die Gerichte in {county}, {state}, oder, wenn Sie Verbraucherin oder Verbraucher sind, die, die das Gesetz Ihnen gibt. Ansprüche sind innerhalb von {disputeYears} Jahren nach ihrer Entstehung geltend zu machen, sofern das Gesetz keine Frist vorsieht, die nicht verkürzt werden kann. Ein Streit besteht nur zwischen Ihnen und uns; ihn mit dem anderer zu verbinden, braucht die Zustimmung beider.',
      ],
    },
    {
      id: 'disclaimer',
      title: 'Keine Gewähr',
      body: [
        'Die Website wird so angeboten, wie sie ist und wie sie verfügbar ist. Eine Antwort ist die Schätzung einer Maschine nach dem Klang: Sie kann falsch sein, einen Vogel überhören oder einen nennen, der nicht da war, auch wenn „sehr wahrscheinlich“ dabeisteht. Die Zahlen unter [Über das Modell](/about) sagen, wie oft, an Testaufnahmen gemessen. Stützen Sie auf eine Antwort allein keine Entscheidung über Schutz, Planung, Jagd, Sicherheit oder Geld.',
        'Soweit das Gesetz es erlaubt, übernehmen wir keine Gewähr dafür, dass die Website fehlerfrei, stets erreichbar oder für einen bestimmten Zweck geeignet ist, und keine für Angebote anderer Websites.',
      ],
    },
    {
      id: 'liability',
      title: 'Grenzen der Haftung',
      body: [
        'Soweit das Gesetz es erlaubt, haften wir nicht für mittelbare Schäden und Folgeschäden, entgangenen Gewinn oder verlorene Daten, und für alles andere nur bis zu dem, was Sie uns in den {liabilityMonths} Monaten vor Entstehen des Anspruchs gezahlt haben, höchstens bis {liabilityAmount}.',
        'Diese Grenzen gelten nicht bei Vorsatz und grober Fahrlässigkeit, bei Verletzung von Leben, Körper oder Gesundheit, für das, was wir garantiert haben, und überall dort, wo das Gesetz sie verbietet.',
      ],
    },
    {
      id: 'indemnification',
      title: 'Freistellung',
      body: [
        'Nimmt uns jemand in Anspruch, weil Sie schuldhaft gegen diese Bedingungen, das Gesetz oder Rechte anderer verstoßen haben, so tragen Sie den Schaden und die angemessenen Kosten unserer Verteidigung. Wir sagen Ihnen unverzüglich Bescheid und schließen ohne Sie keinen Vergleich auf Ihre Kosten.',
      ],
    },
    {
      id: 'user-data',
      title: 'Ihre Daten und ihr Verlust',
      body: [
        'Wir gehen mit aufbewahrten Daten sorgfältig um und legen Sicherungskopien an; für das, was Sie senden, und für das Aufheben der Originale sind aber Sie verantwortlich: Die Website ist kein Archiv für Aufnahmen. Soweit das Gesetz es erlaubt, haften wir nicht für den Verlust von Daten, von denen Sie eine Kopie hätten behalten können. Was gespeichert wird und welche Rechte Sie haben, steht in der [Datenschutzerklärung](#privacy).',
      ],
    },
    {
      id: 'electronic',
      title: 'Elektronische Kommunikation',
      body: [
        'Der Besuch der Website, E-Mails und ausgefüllte Formulare sind elektronische Kommunikation. Sie sind einverstanden, dass wir Ihnen elektronisch antworten und Sie elektronisch informieren und dass Vereinbarungen, Mitteilungen und Bestätigungen auf diesem Weg die Schriftform wahren, wo das Gesetz es zulässt.',
      ],
    },
    {
      id: 'rest',
      title: 'Was sonst noch gilt',
      body: [
        'Ist ein Teil dieser Bedingungen unwirksam, so bleibt der Rest wirksam. Setzen wir ein Recht nicht sofort durch, so verzichten wir nicht darauf. Es gibt diese Bedingungen auf Englisch und Deutsch; wo sie voneinander abweichen, gilt die Fassung, in der Sie ihnen zugestimmt haben.',
      ],
    },
    {
      id: 'contact',
      title: 'Kontakt',
      body: [
        'Für Fragen, Beschwerden und alles, was diese Bedingungen betrifft:',
        { list: ['{businessName}', '{contactAddress}', 'E-Mail: {contactEmail}', 'Telefon: {contactPhone}'] },
      ],
    },
  ],
};
