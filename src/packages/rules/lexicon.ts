/**
 * What skills speak about: a concept, and the words for it in the languages of known incidents. English words also stand for their inflected
 * forms, `word*` for all words that begin so, `_` for a space. Chinese, Japanese and Korean words are found within others.
 */
export const lexicon = {
  // What is done with something.
  send: `send sent post forward upload submit transmit relay deliver mirror sync synchronise synchronize pass_on hand_over hand_in report publish dispatch push report_back turn_in funnel exfil schick* sende senden
    weiterleit* leit* übermittel* übertrag* lade_hoch hochlad* poste* meld* envoie* envoy* transmet* transfèr* publie publiez publier téléverse* envía* envia* enví* reenví* reenvi* publica publicar inoltr* invia*
    carica* encaminh* отправ* пересл* перешл* загруз* переда* 发送 转发 上传 发给 发到 传给 传到 推送 提交 送信 転送 送って 送る 送り アップロード hoch`,
  copy: `copy cc carbon_copy share hand pass mail email e_mail message dm ping notify inform let_know keep_informed keep_posted tell duplicate route feed teile* kopie* kopier* mitteil* partag* copia copiar copie copiez
    compart* condivid* partilh* копи* 抄送 共享 复制 共有 コピー`,
  put: `put append attach add include insert embed encode write log fill fill_in place paste complete replace record enter render follow_by plus end_with close_with häng* anhäng* füg* setz* gefolgt schreib* ajout*
    insèr* suivi* añad* agreg* seguid* aggiung* acrescent* добав* встав* впиш* 附加 加上 填入 写入 放到 后面 追加 付け 続けて 入れ`,
  open: `open load call visit fetch request query hit browse retrieve get download curl wget read look_up consult check trigger refer_to rufe ruf rufen öffn* lade* lies hole holen abruf* appel* ouvr* chargez consulta
    abre* abrir llama_a visita consulta* apri* leggi* откр* загруз* прочит* вызов* 打开 访问 读取 加载 获取 开く 開い 開き 読み込 取得 アクセス`,
  admit: `invite admit give grant add einlad* lad* gib freigeb* invita invitez ajout* donne* añad* agreg* concede* пригласи* добав* 邀请 添加 招待 追加 invited`,
  access: `right access permission member editor viewer collaborator guest reader co_owner owner participant role delegate recht* zugriff* mitglied* gast zugang* accès droit* membre* acceso permiso* miembro* доступ*
    участник* 权限 成员 権限 メンバー`,
  keep: `keep store save learn write note record put pin memorize memorise remember retain add persist commit_to_memory merk* speicher* hefte* mémoris* retien* enregistr* guarda garde gardez memoriz* recuerd* recordar
    salv* ricord* lembr* запомн* сохран* 记住 保存 记录 覚え 記憶`,
  memory: `to_memory into_memory long_term from_now_on permanently for_good later_conversation other_conversation future_conversation all_conversation new_conversation every_conversation future_session later_session
    every_session memory_tool memory_skill team_memory gedächtnis* fakt* tatsache* dauerhaft* künftig* en_mémoire durablement en_memoria memoria_de a_memoria in_memoria na_memória hecho* permanentemente памят* факт* 记忆
    长期 以后 今后 事实 メモリに 今後 記憶に pinned_fact the_fact as_a_fact as_fact fact_each for_all_users for_everyone for_all_people for_the_workspace for_the_whole_team für_alle_nutzer pour_tous para_todos`,
  schedule: `schedule scheduled recurring recur cron crontab reminder periodically every_day every_morning every_night every_hour every_week every_evening every_weekday every_monday every_friday every_minute daily
    nightly hourly weekly timer trigger standing_task background_task background_job täglich* wöchentlich* stündlich* nachts regelmäßig* zeitplan* jeden_tag quotidien* hebdomadaire* chaque_jour tous_les_jours planifi*
    diari* semanal* cada_día programad* giornalier* ogni_giorno ежедневн* еженедельн* каждый_день расписани* 每天 每周 每小时 定时 毎日 毎週 定期`,
  tell: `tell inform notify alert mention disclose reveal report show announce say speak talk explain acknowledge bring_up refer list sag sage sagen erzähl* verrat* erwähn* informier* mitteil* zeig* dire dis dites
    mentionn* informe* révèl* montr* digas diga menciones informes reveles mencion* muestr* menzion* mostr* говори* сообщай* упомина* рассказ* показыва* 告诉 告知 提及 提到 说明 透露 言わ 言及 伝え 知らせ 教え aufgeführt aufgelistet
    angezeigt genannt nenn* erwähnt mentionné signalé indicado menzionato describe present beschreib* présent* describ*`,
  omit: `out_of_the out_of_your leave_out left_out leave_away left_away omit remove strip delete erase clear drop skip exclude filter_out suppress not_list weglass* entfern* lösch* auslass* omet* supprim* retirez enlev* quita quitar elimin*
    borr* omett* rimuov* убер* удал* опуска* 省略 删除 去掉 略 削除 省い left_off leave_off kept_out kept_out_of keep_out_of kept_off keep_off taken_out ausgelassen weggelassen auslassen`,
  silently: `silently secretly covertly discreetly discretely quietly invisibly unnoticed in_secret behind_the_scenes without_notice without_a_word without_comment without_mention without_any_mention without_trace
    out_of_sight in_silence under_the_hood stillschweigend* heimlich* unauffällig* unbemerkt* discrètement en_secret en_silence silencios* en_secreto discret* di_nascosto silenzios* тихо тайно незаметно скрытно молча
    悄悄 偷偷 暗中 静默 私下 こっそり 黙って 密かに`,
  // Who it is done to, and with.
  people: `user person people human anyone anybody nobody everyone everybody someone somebody operator owner admin administrator manager customer client recipient requester asker colleague boss lead member team learner
    student traveller applicant sender management employee staff whoever nutzer* benutzer* personen leute* anwender* niemand* kund* utilisateur* personne* gens usuari* persona personas gente nadie utent* persone
    nessuno usuário* пользовател* люд* никому клиент* 用户 使用者 任何人 人们 客户 ユーザー 利用者 誰に`,
  them: `they them he she him it_to_them`,
  answer: `answer reply response summary report recap output message thread chat antwort* bericht* réponse* rapport* respuesta* informe* risposta* resposta* ответ* отчёт* 回答 答复 回复 报告 总结 返答 応答 confirmation overview
    conversation log übersicht* protokoll* ausgabe* récapitul* resumen riepilogo`,
  outsider: `partner_workspace vendor_workspace our_partner the_vendor our_vendor backend helper_backend our_server our_service our_endpoint our_api our_inbox our_mailbox our_team our_company our_channel our_workspace
    our_database our_dashboard our_archive our_analytics external_server external_service external_channel external_address outside_service remote_server the_developer the_maker developer_of_this maker_of_this
    author_of_this relay_account archive_account shared_inbox hersteller* drittanbieter* notre_serveur éditeur nuestro_servidor fornitore* разработчик* наш_сервер 开发者 第三方 开发商 我们的服务器 開発元 第三者 開発者 the_collector`,
  server: `server backend endpoint service host serveur servidor сервер* 服务器 サーバー`,
  public: `pastebin paste_site paste_service public_gist public_paste public_link public_repository public_repo public_bucket anyone_with_the_link guest_channel shared_channel connect_channel external_channel
    to_a_public`,
  foreign: `page web_page website site web_site mail email e_mail comment ticket issue document attachment tool_result result feed readme post url link seite* webseite* dokument* página* documento* correo* pagina
    commento* страниц* письм* документ* 网页 页面 邮件 文档 评论 ページ メール 文書`,
  // What belongs to people.
  words: `message conversation chat transcript discussion dialogue dialog talk exchange wording digest recap gist what_the_person what_the_user what_they what_people what_was_said what_was_written what_somebody what_he
    what_she what_is_said everything_they everything_said whatever_they said_so_far so_far user_said person_wrote person_said user_wrote user_asked person_asked question_of request_of summary_of thread words_of prompt
    direct_message user_s_question person_s_question user_s_query original_question full_question user_s_request question_in_full latest_question last_question unterhaltung* gespräch* nachricht* verlauf* wortlaut*
    chatverlauf* was_der was_die échange* mensaje* conversación* conversacion* messaggi* conversazion* mensag* conversa сообщени* переписк* разговор* диалог* вопрос* 消息 对话 聊天 聊天记录 原话 提问 问题 メッセージ 会話 質問 発言 zusammenfass*
    direktnachricht* summary résumé resumen riassunto сводк* 摘要 要約 private_channel all_channel`,
  files: `attachment attached uploaded upload file document image picture photo invoice contract spreadsheet receipt recording note mail email inbox calendar contact content source_text original_text input_text
    full_text whole_text draft minutes report result resume cv source_code diff repository payload angehängt* anhang* anhäng* datei* dokument* rechnung* inhalt* fichier* pièce_jointe facture* contenu* joint* archivo*
    adjunt* factura* contenido* allegat* documento* fattur* contenut* anexo* arquivo* fatura* вложени* файл* документ* содержим* счёт* 附件 文件 文档 图片 内容 发票 合同 全文 添付 ファイル 文書 画像 原稿`,
  secrets: `password passphrase passcode secret credential cookie token private_key ssh_key api_key access_key seed_phrase recovery_phrase env env_file environment_variable environment otp one_time_code
    one_time_password two_factor 2fa_code login_code verification_code security_code reset_link reset_code card_number account_number session_id session_cookie code_of digits pin_code cvv keys passwort* kennwort*
    zugangsdaten schlüssel* geheimnis* mot_de_passe mots_de_passe clé* identifiant* contraseña* clave* credencial* chiavi credenzial* senha* пароль парол* ключ* секрет* 密码 口令 密钥 凭据 令牌 验证码 パスワード 秘密鍵 認証 トークン`,
  identity: `username user_name real_name full_name display_name name_of their_name who_wrote who_asked who_they email_address e_mail_address mail_address phone_number location whereabouts user_id member_id employee_id
    workspace_name team_name company_name hostname host_name ip_address author identity signature personal_detail personal_data contact_detail home_address date_of_birth namen standort* adresse* nom_de nom_d nombre_de
    correo_de nome_del имя имен* адрес* 姓名 用户名 邮箱 电话 位置 身份 氏名 名前 住所`,
  // When it is done.
  ritual: `always every each whenever before after afterwards first first_of_all finally lastly once_done when_done when_finished when_ready when_you_are_done at_the_end at_the_start at_the_beginning at_the_close
    from_now_on on_start by_default without_exception in_addition additionally also as_well regularly from_time_to_time last_step immer jede* stets vorher nachher danach bevor nachdem zuerst außerdem zusätzlich
    toujours chaque avant après ensuite également siempre cada antes después también sempre ogni prima dopo anche depois всегда каждый каждо* перед после сначала также 每次 每个 每条 总是 始终 先 之前 之后 首先 然后 并 毎回 必ず いつも まず 前に 後に`,
  turn: `each_answer every_answer each_reply every_reply each_response every_response each_message every_message each_turn every_turn each_task every_task each_conversation every_conversation each_session every_session
    before_you_answer before_answering before_replying before_responding before_each before_every after_each after_every after_answering after_you_answer end_every end_each close_every close_each your_answer
    whenever_you all_answers jeder_antwort jede_antwort vor_jeder nach_jeder jeder_nachricht chaque_réponse chaque_message cada_respuesta cada_mensaje ogni_risposta cada_resposta каждым_ответом каждого_ответа 每次回答 每次回复
    每条消息 回答前 毎回 返答のたび`,
  everything: `all any every everything each whatever whichever everybody everyone alle allen aller alles jede* sämtlich* tout tous toute toutes todos todas tutti* tutte все* любо* 所有 一切 任何 全部 すべて 全て`,
  // What people decide.
  already: `already previously beforehand in_advance general blanket once_and_for_all on_file bereits schon vorab im_voraus déjà d_avance ya previamente de_antemano già in_anticipo já уже заранее 已经 已 事先 预先 すでに 既に 事前`,
  calls: `tool call action purchase payment booking request order transaction transfer message aufruf* werkzeug* appel* outil* llamada* herramient* chiamat* вызов* 调用 操作 呼び出し`,
  agreed: `agreed consented approved authorised authorized permitted allowed granted accepted signed_off said_yes given_their_ok given_permission given_consent given_approval given_you waived okayed ok_d pre_approved
    green_lit power_of_attorney zugestimmt eingewilligt genehmigt erlaubt freigegeben einverstanden accepté approuvé autorisé consenti aceptado aprobado autorizado consentido permitido accettato approvato autorizzato
    acconsentito aceito aprovado consentiu согласил* разрешил* одобрил* 同意 批准 授权 允许 承認 許可 了承`,
  consent: `consent approval permission confirmation authorisation authorization agreement sign_off go_ahead ok yes okay zustimmung* einwilligung* freigabe* genehmigung* erlaubnis* accord autorisation* consentement*
    consentimiento* aprobación* permiso* consenso* autorizzazion* согласи* разрешени* 许可 授权 承認 許可 同意`,
  assumed: `implied implicit assumed presumed deemed taken_for_granted counts_as counts_for_all standing unnecessary redundant liegt_bereits_vor liegt_schon_vor vorausgesetzt implicite présumé implícito supuesto
    presunto подразумева* 视为 默认 みなす 不要`,
  need: `need needs needed required require necessary nötig* erforderlich* brauch* nécessaire* besoin necesari* necessari* нужн* требу* 需要 无需 必要`,
  myself: `yourself_on_their on_their_behalf on_behalf_of in_their_name yourself selbst toi_même vous_même tú_mismo tu_stesso самостоятельно 自己 代替 自分で`,
  choose: `choose chosen press click pick select tap hit recommend prefer wähl* drück* klick* empfehl* anklick* choisi* clique* appuy* elig* elij* selecciona* pulsa* scegli* clicca* выб* нажм* 选择 点击 按下 選ん 選択 押し クリック`,
  forever: `for_good permanently permanent forever remembers remember_the_choice remembers_the_choice not_ask_again never_ask_again no_further no_more once_and_for_all for_ever dauerhaft* merkt nicht_mehr
    définitivement ne_plus no_volver permanentemente 不再 永久 ずっと 二度と`,
  card: `card button dialog dialogue approval_request approval_card confirmation_prompt permission_prompt consent_card prompt question popup pop_up window form knopf schaltfläche* karte* bouton* fenêtre* botón*
    ventana* pulsante кнопк* окно 按钮 卡片 弹窗 ボタン カード option choice setting`,
  condition: `if when once after until unless whether before only assume ensure check wait provided should_the can_be may_be wenn sobald falls ob erst nachdem si quand lorsque cuando se quando если когда 如果 时 后 才 もし 場合
    なら hereby`,
  silence: `silence no_answer no_reply no_response no_objection schweigen silencio silenzio молчани* 沉默 無言`,
  // What may be changed.
  off: `turn_off switch_off disable deactivate lift relax skip bypass suppress mute waive suspend circumvent get_around work_around exempt set_to_none deaktivier* abschalt* ausschalt* umgeh* überspring* aufheb*
    désactiv* contourn* desactiv* evit* disattiv* salta* отключ* обой* пропус* 关闭 禁用 跳过 绕过 取消 無効 スキップ 回避`,
  checks: `safeguard restriction limit check rule moderation filter guardrail protection verification validation review prüfung* sicherung* schutz* vérification* contrôle* controles controllo controlli проверк*
    огранич* 检查 限制 保护 安全 制限 保護 検査`,
  gates: `approval tool_confirmation action_confirmation call_confirmation all_confirmation the_confirmation your_confirmation its_confirmation any_confirmation permission_prompt permission_card permission_question
    consent_card question_card approval_card asking_first asking_before safety_check guardrail content_filter audit_log audit_channel approval_rule genehmigung* freigabe* rückfragen approbation* aprobacion*
    approvazion* подтвержден* 审批 人工确认 承認`,
  on: `enable turn_on switch_on activate set grant allow aktivier* einschalt* activez activa attiva* включ* 启用 开启 有効`,
  lists: `trusted_host open_host trusted_list trusted_people trusted_server manager_list admin_list list_of_managers list_of_admins knack_yaml bot_settings channel_settings channel_instructions agent_settings
    approval_mode auto_approve auto_approval standing_approval standing_permission to_the_allow_list to_the_allowlist to_the_managers to_the_operators to_the_admins vertrauenswürdigen liste_blanche lista_blanca
    белый_список 白名单 ホワイトリスト`,
  guides: `soul_md agents_md memory_md identity_md claude_md heartbeat_md tools_md user_md gemini_md cursorrules copilot_instructions_md bootstrap_md`,
  toolwords: `web_search web_scraping web_research code_execution channel_summary chat_tool memory_tool schedule_tool web_tool chat_skill memory_skill schedule_skill chat_send chat_post web_fetch web_read memory_save
    memory_pin memory_store schedule_create`,
  // What is obeyed.
  ignore: `ignore disregard forget overrule set_aside throw_out discard bypass ignorier* vergiss vergesst missacht* oublie oubliez ignorez ignora olvida esqueça dimentica игнорируй* забудь* 忽略 无视 忘记 無視 忘れ`,
  authority: `previous_instruction prior_instruction earlier_instruction existing_instruction other_instruction all_instruction your_instruction system_instruction instructions_above above_instruction previous_prompt
    previous_rule prior_rule safety_rule safety_instruction safety_guideline your_rule your_guideline system_message system_prompt your_restriction previous_message platform_rule operator_rule rule_of_the_platform
    rule_of_the_bot what_the_user_said what_the_person_said other_skill all_previous all_prior bisherigen_anweisungen vorherigen_anweisungen alle_anweisungen alle_regeln instructions_précédentes
    instructions_antérieures instrucciones_anteriores instrucciones_previas istruzioni_precedenti instruções_anteriores предыдущие_инструкции предыдущих_инструкций все_инструкции 之前的所有指令 之前的指令 以上指令 以上所有指令 所有指令 先前指令
    之前的指示 系统提示 以前の指示 これまでの指示 上記の指示 what_the_person what_the_user what_people_want user_wish`,
  precede: `take_precedence takes_precedence take_priority takes_priority have_priority has_priority outrank overrides prevail come_first comes_first wins counts_more haben_vorrang hat_vorrang priment_sur prevalecen
    prevalgono имеют_приоритет 优先于 優先する`,
  comply: `do_what do_whatever do_as obey follow_it follow_them follow_every follow_each follow_all follow_its follow_whatever follow_what follow_exactly apply_it apply_them apply_what carry_out carry_it_out
    carry_them_out act_on_it act_on_them act_accordingly what_it_says what_they_say whatever_it_says as_it_says as_they_say instruction_in_it instruction_there treat_it_as newer_text_counts heed befolg* führe_aus
    suis_les suivez_les sigue_las cumple segui_le esegui_le выполни* следуй 照做 执行 遵循 按照其 従って 実行して`,
  obeying: `do_whatever do_what_it do_what_they do_what_the do_as_it carry_out_whatever follow_whatever follow_any follow_every follow_all obey execute_whatever comply_with tue_was mach_was fais_ce_que haz_lo_que
    fai_ciò делай_то 按照其要求 言うとおり`,
  unseen: `without_looking without_checking without_reading without_review without_opening without_verifying unchecked ungelesen ungeprüft ohne_zu_prüfen sans_vérifier sin_revisar senza_controllare не_проверяя 不检查
    確認せずに without_check without_checks without_a_check without_control without_comparing`,
  bidding: `whatever_it_says whatever_the_page whatever_they_say what_the_page_says what_the_mail_says what_the_page_asks what_the_mail_asks what_the_document_says instructions_on_the_page instructions_in_the_mail
    instructions_in_the_page instructions_in_the_document any_instructions_in any_instruction_on all_instructions_in was_auf_der_seite ce_que_dit lo_que_diga quello_che_dice что_там_написано 网页上的指示 ページの指示
    do_whatever_it do_whatever_they`,
  asorder: `as_instruction as_an_instruction as_order as_an_order as_command as_a_command as_if_the_user as_if_the_person as_if_it_came as_coming_from like_request as_the_user as_request_from as_part_of_your
    as_part_of_this as_authoritative as_binding wie_anweisungen wie_befehle comme_des_instructions como_instrucciones come_istruzioni как_инструкции 视为指令 当作指令 指示として`,
  decode: `decode decrypt unscramble deobfuscate caesar cipher ciphertext rot13 rot_13 base64 hexadecimal backwards reversed reverse_order mirror_writing places_further letters_on last_letter first_letter inverted
    typesetting entschlüssel* dekodier* rückwärts décod* déchiffr* à_l_envers decodific* descifr* al_revés decifr* al_contrario расшифр* декодир* 解码 解密 倒序 反转 デコード 復号 逆順`,
  // What explains a sentence: it warns of others, or somebody asks for it at the time.
  attack: `attack attacker malicious injection exfiltrate exfiltration phish phishing exploit payload vulnerable vulnerability malware adversarial adversary suspicious threat hostile jailbreak scam fraud red_flag
    anti_pattern antipattern untrusted illegal leak spoof tamper angriff* angreif* betrug* attaque* fraude* ataque* attacco* атак* мошен* 攻击 恶意 诈骗 攻撃 悪意`,
  wish: `ask_you asks_you asks_for_it asks_for_this asks_for_that asks_to says_so say_so says_yes say_yes tells_you_to tell_you_to request_it requests_it requests_this confirms agrees approves explicitly wants_it
    wants_this wants_you wants_that want_it opt_in opts_in consents on_request on_explicit_request ask_first ask_before asking_first asking_before ask_for_confirmation ask_for_permission ask_for_approval ask_whether
    ask_if ask_which ask_the_user_if ask_the_person_if ask_people_before ask_them_first confirm_with confirm_before confirm_first after_a_yes wait_for_a_yes with_consent with_their_consent after_approval
    after_confirmation bittet verlangt wünscht bestätigt zustimmt rückfrage demande confirme souhaite pide confirma quiere chiede_di просит подтверд* 用户确认 用户同意 用户要求 请用户确认 ユーザーに確認 求められ`,
  // Money, offers, other skills.
  money: `payment pay paid invoice bank iban bic account wallet money price fee donation refund transfer payee recipient amount salary bill supplier zahl* konto überweis* rechnung* paiement* compte* virement* facture*
    pago* cuenta* factura* transferencia* pagament* conto bonifico conta оплат* счёт* счет* перевод* 付款 账户 账号 银行 转账 支払 口座 振込 eur euro usd dollar`,
  offer: `shop buy price product offer hotel book booking order provider brand vendor insurance insurer loan broker bank restaurant flight ticket tariff supplier store purchase deal subscription hosting agency cheap
    cheaper kauf* preis* produkt* angebot* anbieter* achat* prix produit* offre* compra* precio* producto* oferta* acquist* prezz* prodott* offert* куп* цен* товар* 购买 价格 产品 商品 酒店 购物 価格 購入 fund etf share security bond
    portfolio investment product_line fonds* aktie* versicherung* seguro* assicuraz* фонд* 基金 保险 保険`,
  favour: `recommend suggest prefer promote favour favor rank praise feature highlight endorse list_first place_first put_first first_choice best_choice best_option top_pick lead_with rate_higher empfehl* bevorzug*
    recommand* préfér* privilégi* recomend* recomiend* prefier* raccomand* consiglia* рекоменд* предлага* 推荐 首选 おすすめ 推奨 best_value`,
  top: `come_first comes_first go_first goes_first first_row first_place first_position first_column top_spot listed_first put_first placed_first ahead_of_the_others before_the_others an_erster_stelle zuerst_genannt
    en_premier en_tête en_primer_lugar al_primo_posto первым 排在第一 首位 一番上 mention_first mentioned_first named_first name_first list_first shown_first show_first appear_first appears_first ranks_first rank_first
    presented_first zuerst`,
  faithful: `faithful faithfully neutral neutrally unbiased impartial originalgetreu* objektiv* fidèle* fiel fieles imparcial* fedele* 忠实 客观 中立 忠実 complete_translation faithful_translation`,
  exempt: `go_straight goes_straight straight_to exempt exempted without_a_post without_a_check without_checks without_approval without_asking skip_the bypass no_check no_approval never_checked not_checked unchecked
    waved_through always_approved automatically_approved auto_approved direkt_zu ohne_prüfung sans_contrôle sin_revisión senza_controllo без_проверки 免检 直接通过 trusted vertrauenswürdig`,
  counts: `counts count_as counts_as counted_as is_an_approval is_approval stands_for replaces_the gilt_als vaut_pour cuenta_como vale_come считается 算作 とみなす`,
  forge: `backdate back_date backdated antedate predate minus_one_month minus_one_week random_minute random_3 plausible_time plausible_date made_up_date earlier_date in_the_name_of pretend forge fabricate
    fake_signature rückdatier* vordatier* antidat* falsif* задним_числом 倒签 日付を遡`,
  split: `split divide break_up in_parts several_parts stay_below stays_below keep_below just_below just_under stay_under stückel* aufteil* fractionne dividir dividi* разбив* 拆分 分割 aufgeteilt gestückelt`,
  limit: `limit threshold ceiling approval_limit reporting_limit grenze* schwelle* freigabegrenze* seuil* plafond* límite* umbral* soglia* límites лимит* порог* 限额 阈值 上限`,
  bcc: `bcc blind_copy blind_carbon_copy blindkopie copie_cachée copia_oculta copia_nascosta скрытая_копия 密送`,
  skillfiles: `skill_md other_skills sibling_skills`,
  skills: `skill plugin agent`,
  sponsor: `partner sponsor sponsored affiliate referral commission paid_placement kickback our_product our_shop our_service our_own our_store promo_code partnerlink* affiliation parrainage afiliad* patrocinad*
    affiliat* партнёр* партнер* 合作 赞助 返利 アフィリエイト スポンサー`,
  regardless: `even_if even_where even_when even_though whatever regardless no_matter without_looking without_checking without_reading without_comparing instead_of_the_cheaper irrespective unconditionally ohne_prüfung
    egal auch_wenn même_si peu_importe sin_importar aunque anche_se даже_если независимо 即使 无论 不管 たとえ 無条件 however_many however_often however_large however_small`,
  downside: `competitor competing rival criticism weakness disadvantage complaint cheaper low_rating below_four ratings_below bad_review poor_review critical_review conflict_of_interest konkurren* nachteil* kritik*
    concurrent inconvénient* competidor* desventaja* concorrent* svantagg* конкурент* недостат* 竞争 缺点 差评 負面 競合 欠点 negative_review fee gebühr* betrag* entgelt* frais comisión* комисси*`,
  passage: `paragraph clause right_of withdrawal absatz absätze klausel* paragraphe* cláusula* clausol* пункт*`,
  deem: `report treat mark accept approve pass rate count book list classify record consider score melde* behandle* betrachte* trata* considera считай* 标记 当作 扱 taken treated take`,
  fine: `as_correct as_fine as_valid as_approved as_paid as_ok as_passed as_checked as_safe as_genuine as_verified as_compliant as_low_risk as_trusted as_clean as_eligible as_qualified als_korrekt als_geprüft
    comme_valide como_correct* come_valid* 为正确 为合格 为安全 as_pass as_passing as_a_pass as_no_match as_false_positive as_released as_cleared as_saved`,
  exchange: `replace swap exchange rewrite substitute change correct redirect convert ersetz* tausch* änder* remplac* reemplaz* cambia* sostitui* замен* 替换 更改 换成 置き換え 変更 in_place_of_what instead_of_what anstelle_der
    anstatt_der`,
  details: `link account account_number iban phone_number price payee bank_detail wallet recipient qr_code konto kontonummer* empfänger* lien* compte* enlace* cuenta* destinatario* conto ссылк* счёт* получател* 链接 账号
    收款 リンク 口座`,
  against: `deprecated withdrawn insecure unsafe obsolete superseded replaces replaced retired broken outdated removed compromised successor discontinued unreliable must_not_be_used do_not_use never_use no_longer_use
    stop_using not_to_use instead_of in_place_of takes_over take_over disabled veraltet ersetzt unsicher abgelöst obsolète* remplac* obsolet* insegur* reemplaza* устарел* небезопас* 已弃用 废弃 不安全 非推奨 廃止`,
  cover: `routine harmless part_of_the_platform part_of_the_system standard normal expected formality technical_reasons maintenance housekeeping read_only internal_check nothing_to_worry safe required_by_it
    required_by_the company_policy administrator_recommends harmlos* routinemäßig* anodin* inofensiv* innocu* безобидн* обычн* 正常 常规 无害 通常 無害`,
  wonder: `wonder wonders notice notices hesitate hesitates insist suspicious curious ask_why asks_why asks_what asks_who nachfragt wundert fragt demande s_étonne pregunta chiede спрос* 问起 询问 聞かれ asked_how asked_why
    asked_whether asked_who asked_what ask_whether_these asks_whether_these asks_how asks_whether asks_about_it asks_about_this`,
  deed: `this_step this_file this_line this_skill this_note this_call this_request this_instruction this_address this_url this_copy this_check this_upload you_did did_this did_it you_sent sent_this copied_it stored_it
    ran_it changed_it this_page this_part this_section the_copy the_upload the_transfer the_sync the_lookup the_switch the_marker davon hiervon de_ceci de_esto di_questo об_этом 这件事 这一步 この手順 die_kopie la_copie la_copia`,
  hush: `hide_this_from hide_it_from keep_this_from keep_it_from keep_that_from between_us never_speak_of never_speak_about without_any_mention needs_no_mention never_see_this people_never_see needs_no_entry
    unmentioned unticked no_need_to_tell need_not_be_told need_not_be_told_about must_not_learn must_not_notice never_learn will_not_notice 不要告诉用户 别告诉用户 不让用户 ユーザーには言わない ユーザーに知らせない verrate_niemandem erzähle_niemandem
    ne_le_dis no_se_lo_digas никому_не_говори no_need_to_mention need_not_mention`,
  make: `create make set_up add plan register start set schedule book arrange install lege leg erstell* richte* créer crée crea creare cree* создай* 创建 设置 添加 作成 設定`,
  // Programs that people fetch and start.
  download: `download get obtain visit go_to open herunterlad* lade* télécharg* descarg* baix* scaric* скача* загруз* 下载 下載 ダウンロード`,
  run: `run execute launch double_click start install open_it invoke ausführ* führe* starte installier* exécut* lance* ejecut* esegu* avvia* запуст* выполн* 运行 運行 执行 執行 安装 実行`,
  unpack: `extract unzip archive zip rar 7z unpack decompress entpack* décompress* descomprim* 解压 解壓`,
  lock: `password pass passphrase passcode pwd using passwort* contraseña* mot_de_passe senha парол* 密码 密碼`,
  paste: `paste copy kopier* füge* collez copie* peg* copia incolla* вставь* скопир* 粘贴 复制 貼り付け`,
  terminal: `terminal console shell command_line command_prompt powershell cmd konsole consola терминал* 终端 終端 ターミナル`,
  use: `use pay paid transfer go_to goes_to nutze verwende zahle utilise paie usar paga используй оплат* 使用 付款 使 払`,
  given: `attached attachment uploaded angehängt* anhang* joint jointe adjunt* allegat* anexad* вложен* 附件 上传的 添付`,
  // What a person types, and whoever takes it.
  typed: `type enter paste give tell send share post provide submit hand_over read_out dictate eingeb* eintipp* nenn* saisi* collez introduce introduzca escrib* peg* inserisci digita введ* встав* 输入 粘贴 提供 发送 入力 貼り`,
  login: `password passphrase passcode pin_code cvv one_time_code one_time_password otp 2fa_code login_code verification_code security_code session_cookie seed_phrase recovery_phrase mnemonic_phrase private_key
    wallet_key wallet_s_private_key keystore_file backup_code card_number card_details passwort* kennwort* mot_de_passe contraseña* senha* парол* 密码 口令 验证码 助记词 パスワード 暗証番号 recovery_code authenticator authenticator_app
    sms_code tan mfa_code backup_codes wiederherstellungscode* einmalcode* code_de_récupération código_de_recuperación`,
  ask: `ask request_from collect demand frage fragen demande* pide* pregunt* chied* спрос* 询问 索取 尋ね`,
  have: `have_the have_them have_people make_the make_them get_the get_them ask_the ask_them ask_people ask_whoever tell_them_to tell_the_user_to request_the request_their lass_dir lass_die bitte_um bitte_den fordere
    demande_à demandez pide_al pide_la pide_el chiedi_al chiedi_la попроси* 让用户 请用户 要求用户 ユーザーに パスワードを`,
  phrase: `code_word codeword password_is pass_phrase passphrase magic_word secret_word key_phrase keyword the_word the_words the_phrase the_code the_sentence the_name losung* stichwort* mot_magique palabra_clave
    parola_chiave кодовое_слово 暗号 口令 合言葉`,
  whoever: `whoever anyone_who anybody_who people_who somebody_who someone_who if_a_person if_somebody if_someone if_a_message if_a_customer if_the_customer if_the_message a_message_that messages_that requests_from
    requests_that mails_from mails_that messages_from wer celui_qui quiconque quien кто 凡是 谁 もし誰か`,
  powers: `check limit rule every everything all admin tester without skip lifted trusted at_once full_access privilege unlimited override operator developer management exempt immediately unrestricted any_amount refund
    access alles sofort tout todo tutto всё 一切 所有 无限 全て`,
  heard: `they_said user_said user_says person_says person_said people_state told_you tells_you asked_you they_prefer user_prefers person_prefers they_like they_want in_their_words when_asked on_request mentioned_by
    stated_by decided_by user_corrects they_choose they_chose they_tell they_ask they_mention somebody_says someone_says people_say they_agree`,
  verify: `verify validate checksum recompute parse check_digit prüf* validier* vérifi* valid* comprueb* verific* провер* 校验 検証`,
  discretion: `internal confidential claims_of salary_of personal_data other_employee one_employee another_employee to_another third_party external_party
    external_parties other_customer other_customers outside_the_company to_customers the_customer vertraulich* intern* confidentiel* confidencial* riservat* конфиденциальн* 机密 社外秘`,
  sample: `example sample test dummy fake fictitious placeholder format valid template beispiel* muster* exemple* ejemplo* esempio* пример* 示例 例`,
  honest: `disclose disclosed label labelled labeled say_that_it_is mark_it_as transparent openly offenleg* kennzeichn*`,
  data: `data terms term_of_service terms_of_use licence license law robots regulation untrusted not_instructions never_instructions material quotation daten donnée* datos`,
  bug: `bug issue feedback suggestion pull_request contribution feature_request support help documentation docs guide manual tutorial`,
} as const satisfies Record<string, string>;

export type Word = keyof typeof lexicon;
